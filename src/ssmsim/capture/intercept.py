"""Inside the captured process: every kernel launch between cudaProfilerStart and Stop, as the driver sees it.

A launch is noted when the driver call is entered: geometry, parameter bytes (offsets and sizes from the cubin's own
.nv.info), the cubin that the driver loaded, and the buffers its pointers fall into.
"""

import ctypes
import hashlib
import struct
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from ssmsim.capture import cupti, driver
from ssmsim.capture.buffers import find_buffers
from ssmsim.capture.calls import Geometry, laid_out, parameter_bytes, read_call
from ssmsim.capture.copies import Copies
from ssmsim.capture.graph_execs import Executables
from ssmsim.capture.graph_nodes import KernelNode, Node
from ssmsim.capture.inputs import Inputs
from ssmsim.capture.progress import Progress
from ssmsim.capture.recorded import Cubin, Recorded
from ssmsim.capture.refused import GRAPH, Refused
from ssmsim.capture.variables import record
from ssmsim.elf_attributes import KernelInfo, code_sha256, kernel_info, kernel_names
from ssmsim.errors import SsmsimError
from ssmsim.sass.kernel_elf import Kernel, read_kernel

PER_THREAD_STREAM = 2  # CU_STREAM_PER_THREAD
UNREAD = "not all that it finds in memory could be read"
BETWEEN = "it was launched while a stream was recorded into a CUDA graph, when nothing may wait for the GPU"


class Interceptor:
    """Subscribes on creation. inputs: records what launches find in memory. timed: time launches instead of noting them."""

    def __init__(self, inputs: Inputs | None = None, timed: bool = False) -> None:
        self.inputs, self.timed, self.progress = inputs, timed, Progress()
        self.launches: list[Recorded | Refused] = []
        self.operations: list[dict[str, Any]] = []
        self.timers: list[tuple[driver.Timer, driver.Timer]] = []
        self.failure: BaseException | None = None
        self.copies = Copies()
        self.graphs = Executables()
        self.replayed = 0  # launches of graphs so far
        self.regions = 0
        self.active = False
        self._cubins: dict[str, Cubin] = {}
        self._by_kernel: dict[str, list[Cubin]] = {}
        self._by_module: dict[int, Cubin] = {}
        self._infos: dict[tuple[str, str], tuple[KernelInfo, str]] = {}
        self._kernels: dict[tuple[str, str], Kernel] = {}
        self._met: set[bytes | None] = set()  # kernels that were launched outside the region
        self._recorded_streams: set[int] = set()  # streams that are now recorded into graphs
        self._seen: dict[tuple[str, bytes], list[dict[str, Any]]] = {}  # buffers of launches that went into graphs
        self._thread = threading.local()
        self._gate: driver.Gate | None = None
        self.close = cupti.subscribe(self._on_callback)

    def _on_callback(self, domain: int, cbid: int, data: int) -> None:
        """Runs on whatever thread made the call; an exception must not reach the driver."""
        if self.failure is not None:
            return
        if getattr(self._thread, "inside", False) and domain != cupti.RESOURCE:
            self.graphs.nested(domain, cbid, data)
            return
        if domain == cupti.DRIVER and cbid in cupti.LAUNCHES and not self.active and not self._recorded_streams:
            if self.inputs is None or cupti.CallbackData.from_address(data).symbol_name in self._met:
                return
        outer, self._thread.inside = getattr(self._thread, "inside", False), True
        try:
            self._handle(domain, cbid, data)
        except BaseException as error:
            self.failure = error
        finally:
            self._thread.inside = outer

    def _handle(self, domain: int, cbid: int, data: int) -> None:
        if domain == cupti.RESOURCE:
            module = cupti.ModuleData.from_address(cupti.ResourceData.from_address(data).descriptor)
            self._loaded(ctypes.string_at(module.cubin, module.cubin_size))
            return
        call = (cupti.DRIVER_CALLS if domain == cupti.DRIVER else cupti.RUNTIME_CALLS)[cbid]
        at = cupti.CallbackData.from_address(data)
        if call in ("start", "stop"):
            self._region(call, at.site)
        elif call.startswith("cuModuleLoad"):
            self._module_call(at)
        elif call in ("begin", "end"):
            self._stream_recording(call, at)
        elif call.startswith("cuGraphLaunch"):
            self._graph_launch(call, at)
        elif call.startswith("cuGraph"):
            self.graphs.call(call, at)
        elif call.startswith("cuLaunch"):
            self._launch(call, at)
        elif self.active and at.site == cupti.ENTER and not self.timed:
            self._memory_operation(call, at.params)

    def _region(self, call: str, site: int) -> None:
        if call == "start" and site == cupti.EXIT and not self.active:
            self.active, self.regions = True, self.regions + 1
        elif call == "stop" and site == cupti.ENTER and self.active:
            self.active = False
            if self._gate:
                self._gate.open()

    def _loaded(self, image: bytes) -> None:
        digest = hashlib.sha256(image).hexdigest()
        if digest not in self._cubins:
            cubin = Cubin(image, digest, tuple(kernel_names(image)))
            self._cubins[digest] = cubin
            for kernel in cubin.kernels:
                self._by_kernel.setdefault(kernel, []).append(cubin)
        self._thread.latest = self._cubins[digest]

    def _module_call(self, at: cupti.CallbackData) -> None:
        """The module a thread loads and the cubin announced while it does so belong together."""
        if at.site == cupti.ENTER:
            self._thread.latest = None
        elif getattr(self._thread, "latest", None) is not None:
            handle = ctypes.c_uint64.from_address(ctypes.c_uint64.from_address(at.params).value).value
            self._by_module[handle] = self._thread.latest

    def _cubin(self, kernel: str, function: int, announced: Cubin | None) -> Cubin:
        """The cubin of the module that a function belongs to; announced: what the driver loaded to have it.

        Several modules may have a kernel of one name. Where the driver does not tell which, code that is the same in all of
        them is as good, and what the driver says of the function leaves out others.
        """
        module = driver.module_of(function)
        if announced is not None and kernel in announced.kernels:
            self._by_module[module] = announced
        known = self._by_kernel.get(kernel, [])
        certain = self._by_module.get(module)
        if certain is not None and kernel in certain.kernels:
            return certain
        fitting = [cubin for cubin in known if self._fits(self._about(cubin, kernel)[0], function)]
        if len({self._about(cubin, kernel)[1] for cubin in fitting}) == 1:
            return fitting[0]
        why = f"{len(fitting)} loaded cubins have it, with different code" if fitting else "no loaded cubin has it"
        raise SsmsimError(f"its cubin cannot be had: {why}", kernel, "load it as a module of its own")

    def _about(self, cubin: Cubin, kernel: str) -> tuple[KernelInfo, str]:
        key = (cubin.sha256, kernel)
        if key not in self._infos:
            self._infos[key] = kernel_info(cubin.image, kernel), code_sha256(cubin.image, kernel)
        return self._infos[key]

    @staticmethod
    def _fits(info: KernelInfo, function: int) -> bool:
        """Registers, shared memory and parameters are those that the driver tells of the function."""
        registers = driver.function_attribute(function, driver.NUM_REGS)
        shared = driver.function_attribute(function, driver.SHARED_SIZE_BYTES)
        params = driver.parameters_of(function)
        return (info.registers, info.static_shared) == (registers, shared) and params in (None, info.params)

    def _stream_recording(self, call: str, at: cupti.CallbackData) -> None:
        """Streams whose work goes into a graph in place of running; nothing may wait for the device meanwhile."""
        stream = ctypes.c_uint64.from_address(at.params).value
        if call == "end" and at.site == cupti.ENTER:
            self._recorded_streams.discard(stream)
        elif call == "begin" and at.site == cupti.EXIT and not ctypes.c_int.from_address(at.returned).value:
            self._recorded_streams.add(stream)

    def _recording(self) -> bool:
        """Whether a stream is recorded into a graph now: a program may also give a recording up without an end."""
        self._recorded_streams = {stream for stream in self._recorded_streams if driver.capturing(stream)}
        return bool(self._recorded_streams)

    def _launch(self, call: str, at: cupti.CallbackData) -> None:
        if at.site == cupti.EXIT:
            self._ended()
            return
        kernel, geometry = (at.symbol_name or b"").decode(), read_call(call, at.params)
        if driver.capturing(geometry.stream):
            self._remember(kernel, geometry)  # it becomes part of a graph, which runs later
        elif self.active:
            self._began(kernel, geometry)
        elif self.inputs is not None:
            self._passed(kernel, self.inputs)

    def _passed(self, kernel: str, inputs: Inputs) -> None:
        """A launch outside the region: many programs run once to warm up, and again inside."""
        known = self._by_kernel.get(kernel, [])
        if known:
            self._met.add(kernel.encode())
        if len(known) == 1:
            inputs.expect(known[0], kernel)

    def _remember(self, kernel: str, geometry: Geometry) -> None:
        """The buffers of a launch that goes into a graph: when the graph runs, its allocator no longer tells them."""
        layout = driver.parameters_of(self._resolved(kernel, geometry))
        if layout and not self.timed:
            params = laid_out(layout, max(offset + size for offset, size in layout), geometry)
            buffers = find_buffers(kernel, layout, params)
            self._seen[kernel, params.rstrip(b"\0")] = [
                {k: v for k, v in b.items() if k not in ("recipe", "tensor")} for b in buffers
            ]

    def _graph_launch(self, call: str, at: cupti.CallbackData) -> None:
        """Its nodes run one after another, each kernel as a launch of its own, and the graph itself does not."""
        if at.site == cupti.EXIT:
            self._ended()
            return
        handle, stream = struct.unpack("<QQ", ctypes.string_at(at.params, 16))
        stream = PER_THREAD_STREAM if call.endswith("_ptsz") and not stream else stream
        graph = self.graphs.of(handle)
        if not self.active or driver.capturing(stream):
            self.graphs.run_own(handle, stream)
        elif graph.refused or self._recording():
            self._thread.stream = stream
            self._note(Refused(GRAPH, graph.refused or BETWEEN))
            self.graphs.run_own(handle, stream)
        else:
            for node in graph.nodes:
                if node.enabled:
                    self._run_node(node, stream)
            self.graphs.skip(handle, at.params)
            self.replayed += 1

    def _run_node(self, node: Node, stream: int) -> None:
        kernel = ""
        run: Callable[[], None] = partial(node.run, stream)
        if isinstance(node, KernelNode):
            node.held.clear()  # of its launch before
            kernel, run = node.name, node.prepared(stream)
            self._began(kernel, node.geometry(stream), self.replayed)
        operations = [] if self.timed else node.operations()
        try:
            run()
        except SsmsimError as error:
            what = f"a node of a CUDA graph cannot be run alone: {error.what}"
            raise SsmsimError(what, kernel, "capture the program without CUDA graphs") from None
        if kernel:
            self._ended()
        for operation in operations:
            self._operation(operation)

    def _began(self, kernel: str, geometry: Geometry, graph: int | None = None) -> None:
        """A launch that runs now. graph: the number of the launch of a graph that it belongs to."""
        if not self.timed:
            self.progress.launched(len(self.launches), kernel)
        self._thread.stream = geometry.stream
        recorded: Recorded | Refused
        try:
            if self._recording():
                raise SsmsimError(BETWEEN, kernel, "launch it before or after")
            recorded = self._recorded(kernel, geometry, graph is not None)
        except SsmsimError as error:
            recorded = Refused(kernel, error.what, geometry.grid, geometry.block)
        except Exception as error:  # the others are kept
            recorded = Refused(kernel, f"{type(error).__name__}: {error}", geometry.grid, geometry.block)
        if self.timed and self._gate is None and not self.timers:
            self._gate = driver.Gate(geometry.stream)
            threading.Timer(2.0, self._gate.open).start()  # a program that waits inside the region gets on
        self._note(recorded, graph)

    def _note(self, recorded: Recorded | Refused, graph: int | None = None) -> None:
        """Put a launch into the sequence; its time begins, and ends when the call returns."""
        stream = getattr(self._thread, "stream", 0) or 0
        of = {} if graph is None else {"graph": graph}
        self.operations.append({"launch": len(self.launches), "stream": stream} | of)
        self.launches.append(recorded)
        self._thread.start = driver.Timer(stream)

    def _ended(self) -> None:
        start = getattr(self._thread, "start", None)
        if start is not None:
            self.timers.append((start, driver.Timer(self._thread.stream)))
            self._thread.start = None

    def _resolved(self, kernel: str, geometry: Geometry) -> int:
        """The CUfunction of a launch; a cubin that the driver loads to have it is that of its module."""
        self._thread.latest = None
        function = driver.resolve(geometry.function)
        announced = getattr(self._thread, "latest", None)
        if announced is not None and kernel in announced.kernels:
            self._by_module[driver.module_of(function)] = announced
        return function

    def _recorded(self, kernel: str, geometry: Geometry, of_graph: bool = False) -> Recorded:
        """What is kept of a launch. of_graph: the kernel of a graph's node. Raises SsmsimError for one that cannot be."""
        function = self._resolved(kernel, geometry)
        cubin = self._cubin(kernel, function, getattr(self._thread, "latest", None))
        info, digest = self._about(cubin, kernel)
        static = driver.function_attribute(function, driver.SHARED_SIZE_BYTES)
        recorded = Recorded(
            kernel=kernel,
            cubin=cubin,
            code_sha256=digest,
            info=info,
            grid=geometry.grid,
            block=geometry.block,
            cluster=geometry.cluster or self._compiled_cluster(function),
            shared=static + geometry.dynamic_shared,
            registers=driver.function_attribute(function, driver.NUM_REGS),
            params=parameter_bytes(info, geometry),
            buffers=[],
            cooperative=geometry.cooperative,
            explicit_cluster=geometry.cluster is not None or info.cluster is not None,
            attributes=geometry.attributes,
        )
        if self.timed:
            return recorded
        seen = self._seen.get((kernel, recorded.params.rstrip(b"\0"))) if of_graph else None
        recorded.buffers = (
            find_buffers(kernel, info.params, recorded.params) if seen is None else [b.copy() for b in seen]
        )
        try:
            self._read(recorded, function)
        except SsmsimError as error:  # memory that cannot be read: what is known of the launch is kept
            recorded.missing = f"{UNREAD}: {error.what}"
        return recorded

    def _read(self, recorded: Recorded, function: int) -> None:
        """What a launch finds in memory: inputs that were copied, the module's variables, contents."""
        self.copies.recognise(recorded.buffers)
        key = (recorded.cubin.sha256, recorded.kernel)
        whole = self.inputs is not None and self.inputs.mode == "all"
        if key not in self._kernels:
            self._kernels[key] = read_kernel(recorded.cubin.image, recorded.kernel, recorded.kernel)
        recorded.variables = record(driver.module_of(function), self._kernels[key], whole)
        if self.inputs is not None:
            self.inputs.fill(recorded)

    @staticmethod
    def _compiled_cluster(function: int) -> tuple[int, int, int]:
        width, height, depth = (driver.function_attribute(function, driver.CLUSTER_WIDTH + i) for i in range(3))
        return max(1, width), max(1, height), max(1, depth)

    def _memory_operation(self, call: str, at: int) -> None:
        """Memory set or copied by the driver between launches: part of what a replay of the sequence must do."""
        first, second, count, stream = struct.unpack("<4Q", ctypes.string_at(at, 32))
        if driver.capturing(stream):
            return
        if call == "copy":
            self._operation({"copy": {"to": first, "from": second, "bytes": count}})
        else:
            width = int(call.removeprefix("memset")) // 8
            value = second & ((1 << (8 * width)) - 1)
            self._operation({"set": {"address": first, "width": width, "value": value, "count": count}})

    def _operation(self, operation: dict[str, Any]) -> None:
        self.operations.append(operation)
        if "copy" in operation:
            copy = operation["copy"]
            self.copies.note(copy["to"], copy["from"], copy["bytes"])
