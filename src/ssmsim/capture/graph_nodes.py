"""The nodes of a CUDA graph as the driver API tells them, each with what runs it alone on a stream.

All that a node needs is copied: a program may destroy its graph once it is instantiated. Layouts are those of cuda.h
(CUDA_KERNEL_NODE_PARAMS_v2, CUDA_MEMSET_NODE_PARAMS, CUDA_MEMCPY3D_v2, CUDA_HOST_NODE_PARAMS, CUgraphEdgeData).
"""

import ctypes
import heapq
import struct
from collections.abc import Callable
from ctypes import byref, c_int, c_size_t, c_uint64, c_void_p
from dataclasses import dataclass, field
from typing import Any

from ssmsim.capture import driver
from ssmsim.capture.calls import (
    ACCESS_POLICY_WINDOW,
    ATTRIBUTE_BYTES,
    CARVEOUT,
    CLUSTER_DIMENSION,
    COOPERATIVE,
    NODE_ATTRIBUTES,
    PROGRAMMATIC,
    Geometry,
    packed_parameters,
    read_attributes,
)
from ssmsim.errors import SsmsimError

KERNEL, COPY, SET, HOST, GRAPH, EMPTY, WAIT, RECORD = range(8)  # CUgraphNodeType
REFUSED = {8: "an external semaphore", 9: "an external semaphore", 10: "a memory allocation", 11: "a memory release",
           12: "a batch of memory operations", 13: "a condition"}  # fmt: skip
KERNEL_PARAMS, SET_PARAMS, COPY_BYTES = struct.Struct("<Q7I4x4Q"), struct.Struct("<QQIIQQ"), 200
KERNEL_PARAMS_V1 = struct.Struct("<Q7I4x2Q")
PROGRAMMATIC_EDGE = 1  # CUgraphDependencyType
DEVICE_MEMORY, UNIFIED_MEMORY = 2, 4  # CUmemorytype
SET_VALUES: dict[int, Any] = {1: ctypes.c_ubyte, 2: ctypes.c_ushort, 4: ctypes.c_uint}
Operation = dict[str, Any]


@dataclass
class Node:
    """One node. run: carries it out on a stream. operations: what a replay of the sequence must do in its place."""

    handle: int
    enabled: bool = True

    def run(self, stream: int) -> None:
        """An empty node orders others alone."""

    def operations(self) -> list[Operation]:
        return []


@dataclass
class KernelNode(Node):
    """values: bytes of each parameter, or of all of them where `packed`. attributes: (CUlaunchAttributeID, 64 bytes)."""

    function: int = 0
    name: str = ""
    grid: tuple[int, int, int] = (1, 1, 1)
    block: tuple[int, int, int] = (1, 1, 1)
    shared: int = 0
    values: tuple[bytes, ...] = ()
    packed: bool = False
    attributes: tuple[tuple[int, bytes], ...] = ()
    held: list[Any] = field(default_factory=list)  # what the driver is given addresses of

    def geometry(self, stream: int) -> Geometry:
        """As an ordinary launch on the stream would have it. Its addresses hold until `held` is cleared."""
        params, extra = (0, self._extra()) if self.packed else (self._table(), 0)
        cluster, cooperative, others = read_attributes(self.attributes)
        return Geometry(
            self.function, self.grid, self.block, cluster, self.shared, stream, params, extra, cooperative, others
        )

    def run(self, stream: int) -> None:
        self.prepared(stream)()

    def prepared(self, stream: int) -> Callable[[], None]:
        """What launches it. All is laid out before, so that little of the host's time is in that of the kernel."""
        own = [pair for pair in self.attributes if pair[0] != PROGRAMMATIC]  # nodes run one after another
        needed = [pair for pair in own if pair[0] in (COOPERATIVE, CLUSTER_DIMENSION)]
        whole, least = self._call(stream, own), self._call(stream, needed)

        def launch() -> None:
            if not driver.succeeds("cuLaunchKernelEx", *whole):
                driver.call("cuLaunchKernelEx", *least)

        return launch

    def _call(self, stream: int, attributes: list[tuple[int, bytes]]) -> tuple[Any, ...]:
        """Arguments of cuLaunchKernelEx."""
        geometry = self.geometry(stream)
        listed = ctypes.create_string_buffer(b"".join(struct.pack("<I4x64s", *pair) for pair in attributes) or b"\0")
        sizes = *self.grid, *self.block, self.shared, stream
        config = ctypes.create_string_buffer(
            struct.pack("<7I4xQQI4x", *sizes, ctypes.addressof(listed), len(attributes)), 56
        )
        self.held.append(listed)
        return config, c_void_p(self.function), c_void_p(geometry.kernel_params), c_void_p(geometry.extra)

    def _table(self) -> int:
        if not self.values:
            return 0
        buffers = [ctypes.create_string_buffer(value, len(value)) for value in self.values]
        table = (c_void_p * len(buffers))(*map(ctypes.addressof, buffers))
        self.held += [buffers, table]
        return ctypes.addressof(table)

    def _extra(self) -> int:
        data, size = ctypes.create_string_buffer(self.values[0], len(self.values[0])), c_size_t(len(self.values[0]))
        extra = (c_void_p * 5)(1, ctypes.addressof(data), 2, ctypes.addressof(size), 0)
        self.held += [data, size, extra]
        return ctypes.addressof(extra)


@dataclass
class SetNode(Node):
    """`height` rows of `width` elements of `element` bytes, `pitch` bytes apart."""

    to: int = 0
    pitch: int = 0
    value: int = 0
    element: int = 1
    width: int = 0
    height: int = 1

    def run(self, stream: int) -> None:
        value, bits = SET_VALUES[self.element](self.value), 8 * self.element
        if self.height <= 1:
            driver.call(f"cuMemsetD{bits}Async", c_uint64(self.to), value, c_size_t(self.width), c_void_p(stream))
            return
        size = c_size_t(self.width), c_size_t(self.height)
        driver.call(f"cuMemsetD2D{bits}Async", c_uint64(self.to), c_size_t(self.pitch), value, *size, c_void_p(stream))

    def operations(self) -> list[Operation]:
        each = {"width": self.element, "value": self.value & ((1 << 8 * self.element) - 1), "count": self.width}
        return [{"set": {"address": self.to + row * self.pitch} | each} for row in range(max(1, self.height))]


@dataclass
class CopyNode(Node):
    """params: CUDA_MEMCPY3D."""

    params: bytes = b""

    def run(self, stream: int) -> None:
        driver.call("cuMemcpy3DAsync_v2", ctypes.create_string_buffer(self.params, COPY_BYTES), c_void_p(stream))

    def operations(self) -> list[Operation]:
        """One copy of bytes in a row between device memory; none for what else it may be, as for ordinary copies."""
        ends = [struct.unpack_from("<4QI4x6Q", self.params, at) for at in (0, 88)]
        width, height, depth = struct.unpack_from("<3Q", self.params, 176)
        if max(height, depth) > 1 or any(end[4] not in (DEVICE_MEMORY, UNIFIED_MEMORY) for end in ends):
            return []
        source, to = (end[6] + end[0] for end in ends)
        if any(driver.allocation_of(address) is None for address in (source, to)):
            return []
        return [{"copy": {"to": to, "from": source, "bytes": width}}]


@dataclass
class HostNode(Node):
    function: int = 0
    data: int = 0

    def run(self, stream: int) -> None:
        driver.call("cuLaunchHostFunc", c_void_p(stream), c_void_p(self.function), c_void_p(self.data))


@dataclass
class EventNode(Node):
    event: int = 0
    records: bool = True

    def run(self, stream: int) -> None:
        if self.records:
            driver.call("cuEventRecord", c_void_p(self.event), c_void_p(stream))
        else:
            driver.call("cuStreamWaitEvent", c_void_p(stream), c_void_p(self.event), ctypes.c_uint(0))


def read_graph(graph: int) -> list[Node]:
    """Its nodes and those of its child graphs, every one behind those that it depends on, else in the graph's order.

    Raises SsmsimError for a node that cannot be run alone.
    """
    handles = _nodes(graph)
    ordered, serialized = _sorted(handles, _edges(graph))
    return [node for handle in ordered for node in _read(handle, handle in serialized)]


def _nodes(graph: int) -> list[int]:
    count = c_size_t()
    driver.call("cuGraphGetNodes", c_void_p(graph), None, byref(count))
    found = (c_void_p * max(1, count.value))()
    if count.value:
        driver.call("cuGraphGetNodes", c_void_p(graph), found, byref(count))
    return [handle or 0 for handle in found[: count.value]]


def _edges(graph: int) -> list[tuple[int, int, bool]]:
    """(from, to, whether `to` may begin before `from` has ended: programmatic dependent launch)."""
    count = c_size_t()
    with_data = hasattr(driver.library(), "cuGraphGetEdges_v2")  # from driver 12.3 on
    name, no_data = ("cuGraphGetEdges_v2", (None,)) if with_data else ("cuGraphGetEdges", ())
    driver.call(name, c_void_p(graph), None, None, *no_data, byref(count))
    if not count.value:
        return []
    first, second = (c_void_p * count.value)(), (c_void_p * count.value)()
    data = ctypes.create_string_buffer(8 * count.value)
    driver.call(name, c_void_p(graph), first, second, *((data,) if with_data else ()), byref(count))
    types = [data.raw[8 * i + 2] for i in range(count.value)]
    return [(a or 0, b or 0, t == PROGRAMMATIC_EDGE) for a, b, t in zip(first, second, types, strict=True)]


def _sorted(handles: list[int], edges: list[tuple[int, int, bool]]) -> tuple[list[int], set[int]]:
    """(topological order that keeps the graph's own where it may, nodes that a programmatic edge leads to)."""
    place = {handle: i for i, handle in enumerate(handles)}
    waiting, after = dict.fromkeys(handles, 0), {handle: list[int]() for handle in handles}
    for first, second, _ in edges:
        waiting[second] += 1
        after[first].append(second)
    ready = [place[handle] for handle in handles if not waiting[handle]]
    heapq.heapify(ready)
    ordered = []
    while ready:
        handle = handles[heapq.heappop(ready)]
        ordered.append(handle)
        for each in after[handle]:
            waiting[each] -= 1
            if not waiting[each]:
                heapq.heappush(ready, place[each])
    return ordered, {second for _, second, programmatic in edges if programmatic}


def _read(handle: int, serialized: bool) -> list[Node]:
    kind = c_int()
    driver.call("cuGraphNodeGetType", c_void_p(handle), byref(kind))
    if kind.value == KERNEL:
        return [read_kernel_node(handle, serialized)]
    if kind.value == COPY:
        return [copy_node(handle, _told("cuGraphMemcpyNodeGetParams", handle, COPY_BYTES))]
    if kind.value == SET:
        return [set_node(handle, _told("cuGraphMemsetNodeGetParams", handle, 64))]
    if kind.value == HOST:
        return [HostNode(handle, True, *struct.unpack_from("<QQ", _told("cuGraphHostNodeGetParams", handle, 64)))]
    if kind.value == GRAPH:
        return read_graph(_word("cuGraphChildGraphNodeGetGraph", handle))
    if kind.value == EMPTY:
        return [Node(handle)]
    if kind.value in (WAIT, RECORD):
        name = "Wait" if kind.value == WAIT else "Record"
        return [EventNode(handle, True, _word(f"cuGraphEvent{name}NodeGetEvent", handle), kind.value == RECORD)]
    what = REFUSED.get(kind.value, f"a node of type {kind.value}")
    raise SsmsimError(f"it has {what}, which is no call of its own: capture the program without CUDA graphs", "", "")


def _told(name: str, handle: int, size: int) -> bytes:
    data = ctypes.create_string_buffer(size)
    driver.call(name, c_void_p(handle), data)
    return data.raw


def _word(name: str, handle: int) -> int:
    return int.from_bytes(_told(name, handle, 8), "little")


def copy_node(handle: int, params: bytes) -> CopyNode:
    return CopyNode(handle, True, params[:COPY_BYTES])


def set_node(handle: int, params: bytes) -> SetNode:
    return SetNode(handle, True, *SET_PARAMS.unpack_from(params))


def read_kernel_node(handle: int, serialized: bool) -> KernelNode:
    """serialized: it may begin before the node that it depends on has ended."""
    found = [
        (number, value)
        for number in NODE_ATTRIBUTES
        if (value := _attribute(handle, number)) is not None and _is_set(number, value)
    ]
    if serialized:
        found.append((PROGRAMMATIC, (1).to_bytes(ATTRIBUTE_BYTES, "little")))
    return kernel_node(handle, _told("cuGraphKernelNodeGetParams_v2", handle, 128), tuple(found))


def _attribute(handle: int, number: int) -> bytes | None:
    value = ctypes.create_string_buffer(ATTRIBUTE_BYTES)
    told = driver.succeeds("cuGraphKernelNodeGetAttribute", c_void_p(handle), c_int(number), value)
    return value.raw if told else None


def _is_set(number: int, value: bytes) -> bool:
    """Whether an attribute is more than what a launch without it has."""
    if number == ACCESS_POLICY_WINDOW:
        return any(value[8:16])  # its bytes
    if number == CARVEOUT:
        return struct.unpack_from("<i", value)[0] not in (0, -1)
    return any(value)


def kernel_node(handle: int, params: bytes, attributes: tuple[tuple[int, bytes], ...]) -> KernelNode:
    """params: CUDA_KERNEL_NODE_PARAMS, of version 1 where it is shorter."""
    if len(params) < KERNEL_PARAMS.size:
        func, *sizes, table, extra = KERNEL_PARAMS_V1.unpack_from(params)
    else:
        func, *sizes, table, extra, kern, _ = KERNEL_PARAMS.unpack_from(params)
        func = func or kern
    function = driver.resolve(func)
    name = driver.function_name(function)
    layout = driver.parameters_of(function)
    if not name or layout is None:
        raise SsmsimError(
            "the driver does not tell a node's name and parameters: it takes one of CUDA 12.4 or later", "", ""
        )
    values: tuple[bytes, ...] = ()
    if table:
        pointers = struct.unpack(f"<{len(layout)}Q", ctypes.string_at(table, 8 * len(layout)))
        values = tuple(ctypes.string_at(at, size) for at, (_, size) in zip(pointers, layout, strict=True))
    elif extra:
        values = (packed_parameters(extra),)
    x, y, z, *block, shared = sizes
    return KernelNode(
        handle, True, function, name, (x, y, z), (block[0], block[1], block[2]), shared, values, bool(extra and not table),
        attributes,
    )  # fmt: skip
