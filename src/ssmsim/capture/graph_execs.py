"""The executable graphs of a program: what each will run, followed from its instantiation through its updates.

A captured graph is run node by node, and must then not run as a whole. The call that launches it is given an executable
graph without nodes in its place. Where the driver does not look again at the arguments that a CUPTI callback has
changed (a probe shows whether it does), the program gets an empty stand-in when it instantiates a graph, and its own
graph is launched when the capture wants no part of it.
"""

import ctypes
import struct
from ctypes import byref, c_char, c_size_t, c_uint, c_uint64, c_ulonglong, c_void_p
from dataclasses import dataclass, field

from ssmsim.capture import cupti, driver
from ssmsim.capture.graph_nodes import (
    COPY_BYTES,
    KERNEL_PARAMS,
    KERNEL_PARAMS_V1,
    SET_PARAMS,
    KernelNode,
    Node,
    copy_node,
    kernel_node,
    read_graph,
    set_node,
)
from ssmsim.errors import SsmsimError

DEVICE_LAUNCH = 4  # CUgraphInstantiate_flags
NON_BLOCKING = 1  # CUstream_flags
SET_BYTES = {
    "cuGraphExecKernelNodeSetParams": KERNEL_PARAMS_V1.size, "cuGraphExecKernelNodeSetParams_v2": KERNEL_PARAMS.size,
    "cuGraphExecMemcpyNodeSetParams": COPY_BYTES, "cuGraphExecMemsetNodeSetParams": SET_PARAMS.size,
}  # fmt: skip


@dataclass
class Executable:
    """nodes: in the order in which they are run. refused: why it is not, "" when it is. own: the program's executable graph
    that the stand-in of this handle hides, 0 without a stand-in."""

    nodes: list[Node] = field(default_factory=list)
    refused: str = ""
    own: int = 0


class Executables:
    def __init__(self) -> None:
        self._known: dict[int, Executable] = {}
        self._empty: dict[int, int] = {}  # by context, an executable graph without nodes
        self._changes_arguments: bool | None = None  # whether the driver takes arguments that a callback has changed
        self._probed = 0

    def of(self, handle: int) -> Executable:
        return self._known.get(handle) or Executable(refused="it was instantiated before its nodes could be read")

    def call(self, call: str, at: cupti.CallbackData) -> None:
        """A driver call about an executable graph, but for its launch."""
        if call == "cuGraphExecDestroy":
            if at.site == cupti.ENTER:
                self._destroyed(_words(at.params, 1)[0])
            return
        if at.site != cupti.EXIT or ctypes.c_int.from_address(at.returned).value:
            return
        if call.startswith("cuGraphInstantiate"):
            self._instantiated(call, at.params)
            return
        handle, argument = _words(at.params, 2)
        if handle not in self._known:
            return
        if call == "cuGraphExecUpdate":
            self._known[handle] = _read(argument)
        else:
            self._changed(call, handle, argument, at.params)

    def run_own(self, handle: int, stream: int) -> None:
        """What the program wanted of a launch that the capture leaves alone: nothing where there is no stand-in."""
        own = self.of(handle).own
        if own:
            driver.call("cuGraphLaunch", c_void_p(own), c_void_p(stream))

    def skip(self, handle: int, params: int) -> None:
        """Let the launch whose arguments lie at `params` run nothing."""
        if not self.of(handle).own:
            c_uint64.from_address(params).value = self._without_nodes()

    def nested(self, domain: int, cbid: int, data: int) -> None:
        """A call that the capture itself makes: the probe's arguments are changed."""
        at = cupti.CallbackData.from_address(data)
        if domain == cupti.DRIVER and cbid in cupti.GRAPH_LAUNCHES and at.site == cupti.ENTER and self._probed:
            if _words(at.params, 1)[0] == self._probed:
                c_uint64.from_address(at.params).value = self._without_nodes()

    def _instantiated(self, call: str, params: int) -> None:
        out, graph, third = _words(params, 3)
        flags = third if call == "cuGraphInstantiateWithFlags" else 0
        if call == "cuGraphInstantiateWithParams":
            flags = _words(third, 1)[0]
        place = c_uint64.from_address(out)
        with driver.relaxed_capture():
            found = _read(graph)
            if flags & DEVICE_LAUNCH:
                found = Executable(refused="kernels may launch it")
            try:
                if self._changes_arguments is None:
                    self._changes_arguments = self._probe()
                if not self._changes_arguments:
                    own, place.value = place.value, _instantiate(_create())
                    found.own = own
            except SsmsimError as error:
                found.refused = f"it cannot be kept from running as a whole: {error.what}"
        self._known[place.value] = found

    def _changed(self, call: str, handle: int, node: int, params: int) -> None:
        graph, third = self._known[handle], _words(params, 3)[2]
        index = next((i for i, each in enumerate(graph.nodes) if each.handle == node), None)
        if graph.refused:
            return
        if index is None:
            graph.refused = f"{call} changed a node of it that is not known"
            return
        old = graph.nodes[index]
        if call == "cuGraphNodeSetEnabled":
            old.enabled = bool(third & 0xFFFFFFFF)
            return
        if call not in SET_BYTES:
            graph.refused = f"{call} changed a node of it"
            return
        data = ctypes.string_at(third, SET_BYTES[call])
        try:
            if isinstance(old, KernelNode):
                new: Node = kernel_node(node, data, old.attributes)
            else:
                new = (copy_node if "Memcpy" in call else set_node)(node, data)
        except SsmsimError as error:
            graph.refused = error.what
            return
        new.enabled = old.enabled
        graph.nodes[index] = new

    def _destroyed(self, handle: int) -> None:
        known = self._known.pop(handle, None)
        if known is not None and known.own:
            driver.call("cuGraphExecDestroy", c_void_p(known.own))

    def _without_nodes(self) -> int:
        context = driver.current_context()
        if context not in self._empty:
            self._empty[context] = _instantiate(_create())
        return self._empty[context]

    def _probe(self) -> bool:
        """Launch a graph that sets a word, with the arguments changed to those of an empty one: does the word stay?"""
        self._without_nodes()
        word, stream, found = c_uint64(), c_void_p(), (c_char * 4)()
        driver.call("cuMemAlloc_v2", byref(word), c_size_t(4))
        driver.call("cuStreamCreate", byref(stream), c_uint(NON_BLOCKING))
        driver.call("cuMemsetD32Async", word, c_uint(0), c_size_t(1), stream)
        graph, node = _create(), c_void_p()
        set_one = ctypes.create_string_buffer(SET_PARAMS.pack(word.value, 4, 1, 4, 1, 1), SET_PARAMS.size)
        context = c_void_p(driver.current_context())
        driver.call("cuGraphAddMemsetNode", byref(node), c_void_p(graph), None, c_size_t(0), set_one, context)
        self._probed = _instantiate(graph)
        try:
            driver.call("cuGraphLaunch", c_void_p(self._probed), stream)
        finally:
            probe, self._probed = self._probed, 0
        driver.call("cuMemcpyDtoHAsync_v2", found, word, c_size_t(4), stream)
        driver.call("cuStreamSynchronize", stream)
        driver.call("cuGraphExecDestroy", c_void_p(probe))
        driver.call("cuStreamDestroy_v2", stream)
        driver.call("cuMemFree_v2", word)
        return found.raw == bytes(4)


def _read(graph: int) -> Executable:
    try:
        return Executable(read_graph(graph))
    except SsmsimError as error:
        return Executable(refused=error.what)


def _create() -> int:
    graph = c_void_p()
    driver.call("cuGraphCreate", byref(graph), c_uint(0))
    return graph.value or 0


def _instantiate(graph: int) -> int:
    """An executable graph of a graph, which is destroyed."""
    made = c_void_p()
    driver.call("cuGraphInstantiateWithFlags", byref(made), c_void_p(graph), c_ulonglong(0))
    driver.call("cuGraphDestroy", c_void_p(graph))
    return made.value or 0


def _words(at: int, count: int) -> tuple[int, ...]:
    return struct.unpack(f"<{count}Q", ctypes.string_at(at, 8 * count))
