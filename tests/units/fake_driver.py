"""A driver API with CUDA graphs and CUPTI's callbacks, in Python: it notes what would run on a GPU."""

import ctypes
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ssmsim.capture import cupti

KERNEL, COPY, SET, HOST, GRAPH, EMPTY, WAIT, RECORD, ALLOCATION = 0, 1, 2, 3, 4, 5, 6, 7, 10
FUNCTION, CONTEXT, SUCCESS, INVALID = 7, 99, 0, 1
GRAPH_LAUNCH, INSTANTIATE, UPDATE, SET_KERNEL, ENABLE, BEGIN, END = 514, 643, 696, 692, 650, 539, 497


@dataclass
class FakeNode:
    kind: int
    params: bytes = b""
    told: dict[int, bytes] = field(default_factory=dict)  # attributes of a kernel node
    child: int = 0
    held: list[Any] = field(default_factory=list)


def value(argument: Any) -> int:
    return (getattr(argument, "value", argument) if argument is not None else 0) or 0


class FakeDriver:
    """rereads: whether a call looks at its arguments again once the callback at its start has returned."""

    def __init__(self, rereads: bool = True) -> None:
        self.rereads = rereads
        self.handler: Callable[[int, int, int], None] = lambda *_: None
        self.nodes: dict[int, FakeNode] = {}
        self.graphs: dict[int, list[int]] = {}
        self.edges: dict[int, list[tuple[int, int, int]]] = {}
        self.executables: dict[int, list[int]] = {}
        self.ran: list[Any] = []  # what ran: kernels with their parameters, sets, copies, ...
        self.calls: list[str] = []
        self.capturing: set[int] = set()
        self.layout: tuple[tuple[int, int], ...] = ()
        self.name = b""
        self.attributes: dict[int, int] = {}
        self.memory: dict[int, int] = {}
        self.next = 0x1000

    def handle(self) -> int:
        self.next += 16
        return self.next

    def graph(self, nodes: list[FakeNode], edges: list[tuple[int, int, int]] | None = None) -> int:
        """edges: (number, number, type); a chain when none are given."""
        graph, handles = self.handle(), [self.handle() for _ in nodes]
        self.nodes |= dict(zip(handles, nodes, strict=True))
        self.graphs[graph] = handles
        chain = [(i, i + 1, 0) for i in range(len(nodes) - 1)]
        self.edges[graph] = [(handles[a], handles[b], kind) for a, b, kind in (chain if edges is None else edges)]
        return graph

    def kernel(self, values: list[bytes], grid: tuple[int, int, int] = (4, 1, 1), shared: int = 0) -> FakeNode:
        buffers = [ctypes.create_string_buffer(each, len(each)) for each in values]
        table = (ctypes.c_void_p * max(1, len(buffers)))(*map(ctypes.addressof, buffers))
        params = struct.pack("<Q7I4x4Q", FUNCTION, *grid, 32, 1, 1, shared, ctypes.addressof(table), 0, 0, 0)
        return FakeNode(KERNEL, params, held=[buffers, table])

    def call(
        self, cbid: int, layout: str, values: list[int], work: Callable[[tuple[int, ...]], int], name: bytes = b""
    ) -> int:
        """A call of the API with what CUPTI tells of it."""
        params = ctypes.create_string_buffer(struct.pack(layout, *values))
        returned = ctypes.c_int(SUCCESS)
        at = cupti.CallbackData(
            cupti.ENTER, b"", ctypes.addressof(params), ctypes.addressof(returned), name, None, 0, None, 0
        )
        self.handler(cupti.DRIVER, cbid, ctypes.addressof(at))
        found = struct.unpack(layout, params.raw[: struct.calcsize(layout)]) if self.rereads else tuple(values)
        returned.value = work(found)
        at.site = cupti.EXIT
        self.handler(cupti.DRIVER, cbid, ctypes.addressof(at))
        return returned.value

    def launch(self, stream: int, params: list[bytes], grid: tuple[int, int, int] = (4, 1, 1)) -> None:
        """An ordinary cuLaunchKernel by the program."""
        node = self.kernel(params, grid)
        table = ctypes.addressof(node.held[1])
        values = [FUNCTION, *grid, 32, 1, 1, 0, stream, table, 0]

        def work(_: tuple[int, ...]) -> int:
            if stream not in self.capturing:
                self.ran.append(("kernel", b"".join(params)))
            return SUCCESS

        self.call(307, "<Q7I4xQQQ", values, work, self.name)

    def instantiate(self, graph: int) -> int:
        made = ctypes.c_void_p()
        self.cuGraphInstantiateWithFlags(ctypes.byref(made), graph, 0)
        return made.value or 0

    def run_node(self, handle: int) -> None:
        node = self.nodes[handle]
        if node.kind == KERNEL:
            table = struct.unpack_from("<Q", node.params, 40)[0]
            self.ran.append(("kernel", self.read(table)))
        elif node.kind == SET:
            to, _, word = struct.unpack_from("<QQI", node.params)
            self.memory[to] = word
            self.ran.append(("set", to, word))
        elif node.kind == GRAPH:
            for each in self.graphs[node.child]:
                self.run_node(each)
        elif node.kind != EMPTY:
            self.ran.append(("node", node.kind))

    def read(self, table: int) -> bytes:
        pointers = struct.unpack(f"<{len(self.layout)}Q", ctypes.string_at(table, 8 * len(self.layout)))
        return b"".join(ctypes.string_at(at, size) for at, (_, size) in zip(pointers, self.layout, strict=True))

    def __getattr__(self, name: str) -> Callable[..., int]:
        if not name.startswith("cu") or name == "cuGraphGetEdges":
            raise AttributeError(name)

        def nothing(*_: Any) -> int:
            self.calls.append(name)
            return SUCCESS

        return nothing

    # Graphs.

    def cuGraphCreate(self, out: Any, _: Any) -> int:
        out._obj.value = self.graph([])
        return SUCCESS

    def cuGraphAddMemsetNode(self, out: Any, graph: Any, _d: Any, _n: Any, params: Any, _c: Any) -> int:
        out._obj.value = self.handle()
        self.nodes[out._obj.value] = FakeNode(SET, params.raw)
        self.graphs[value(graph)].append(out._obj.value)
        return SUCCESS

    def cuGraphInstantiateWithFlags(self, out: Any, graph: Any, flags: Any) -> int:
        def work(found: tuple[int, ...]) -> int:
            out._obj.value = self.handle()
            self.executables[out._obj.value] = list(self.graphs[found[1]])
            return SUCCESS

        return self.call(INSTANTIATE, "<QQQ", [ctypes.addressof(out._obj), value(graph), value(flags)], work)

    def cuGraphDestroy(self, graph: Any) -> int:
        del self.graphs[value(graph)]
        return SUCCESS

    def cuGraphLaunch(self, executable: Any, stream: Any) -> int:
        def work(found: tuple[int, ...]) -> int:
            for node in self.executables[found[0]]:
                self.run_node(node)
            return SUCCESS

        return self.call(GRAPH_LAUNCH, "<QQ", [value(executable), value(stream)], work)

    def cuGraphGetNodes(self, graph: Any, out: Any, count: Any) -> int:
        handles = self.graphs[value(graph)]
        count._obj.value = len(handles)
        for i, handle in enumerate(handles if out is not None else []):
            out[i] = handle
        return SUCCESS

    def cuGraphGetEdges_v2(self, graph: Any, first: Any, second: Any, data: Any, count: Any) -> int:
        edges = self.edges.get(value(graph), [])
        count._obj.value = len(edges)
        for i, (a, b, kind) in enumerate(edges if first is not None else []):
            first[i], second[i] = a, b
            data[8 * i + 2] = bytes([kind])
        return SUCCESS

    def cuGraphNodeGetType(self, node: Any, out: Any) -> int:
        out._obj.value = self.nodes[value(node)].kind
        return SUCCESS

    def _params(self, node: Any, out: Any) -> int:
        params = self.nodes[value(node)].params
        ctypes.memmove(out, params, len(params))
        return SUCCESS

    cuGraphKernelNodeGetParams_v2 = cuGraphMemcpyNodeGetParams = cuGraphMemsetNodeGetParams = _params
    cuGraphHostNodeGetParams = cuGraphEventRecordNodeGetEvent = cuGraphEventWaitNodeGetEvent = _params

    def cuGraphChildGraphNodeGetGraph(self, node: Any, out: Any) -> int:
        ctypes.memmove(out, struct.pack("<Q", self.nodes[value(node)].child), 8)
        return SUCCESS

    def cuGraphKernelNodeGetAttribute(self, node: Any, number: Any, out: Any) -> int:
        told = self.nodes[value(node)].told.get(value(number))
        if told is None:
            return INVALID
        ctypes.memmove(out, told, len(told))
        return SUCCESS

    # What runs.

    def cuLaunchKernelEx(self, config: Any, _function: Any, params: Any, _extra: Any) -> int:
        sizes = struct.unpack_from("<7I4xQQI", config.raw)
        given = [struct.unpack_from("<I", ctypes.string_at(sizes[8] + 72 * i, 4))[0] for i in range(sizes[9])]
        self.ran.append(("kernel", self.read(value(params)) if value(params) else b""))
        self.calls.append(f"cuLaunchKernelEx{given}")
        return SUCCESS

    def cuMemsetD32Async(self, to: Any, word: Any, _n: Any, _s: Any) -> int:
        self.memory[value(to)] = value(word)
        self.ran.append(("set", value(to), value(word)))
        return SUCCESS

    def cuMemAlloc_v2(self, out: Any, _: Any) -> int:
        out._obj.value = self.handle()
        return SUCCESS

    def cuMemcpyDtoHAsync_v2(self, to: Any, source: Any, _n: Any, _s: Any) -> int:
        to[:] = struct.pack("<I", self.memory[value(source)])
        return SUCCESS

    def cuMemcpy3DAsync_v2(self, _params: Any, _s: Any) -> int:
        self.ran.append(("copy",))
        return SUCCESS

    # What is told of a function, a stream and a context.

    def cuCtxGetCurrent(self, out: Any) -> int:
        out._obj.value = CONTEXT
        return SUCCESS

    def cuStreamIsCapturing(self, stream: Any, out: Any) -> int:
        out._obj.value = int(value(stream) in self.capturing)
        return SUCCESS

    def cuKernelGetFunction(self, _out: Any, _kernel: Any) -> int:
        return INVALID

    def cuModuleGetGlobal_v2(self, *_: Any) -> int:
        return INVALID

    def cuMemGetAddressRange_v2(self, start: Any, size: Any, pointer: Any) -> int:
        start._obj.value, size._obj.value = value(pointer) & ~0xFFF, 0x1000
        return SUCCESS if value(pointer) >> 40 else INVALID

    def cuFuncGetName(self, out: Any, _: Any) -> int:
        out._obj.value = self.name
        return SUCCESS

    def cuFuncGetParamInfo(self, _function: Any, index: Any, offset: Any, size: Any) -> int:
        if value(index) >= len(self.layout):
            return INVALID
        offset._obj.value, size._obj.value = self.layout[value(index)]
        return SUCCESS

    def cuFuncGetAttribute(self, out: Any, number: int, _: Any) -> int:
        out._obj.value = self.attributes.get(value(number), 0)
        return SUCCESS
