"""Inside the captured process: every kernel launch between cudaProfilerStart and Stop, as the driver sees it.

A launch is noted when the driver call is entered: geometry, parameter bytes (offsets and sizes from the cubin's own
.nv.info), the cubin that the driver loaded, and the buffers its pointers fall into.
"""

import ctypes
import hashlib
import struct
import threading
from dataclasses import dataclass, field
from typing import Any

from ssmsim.capture import cupti, driver
from ssmsim.capture.describe import PARAMETER_NAMES, TENSORS
from ssmsim.capture.frameworks import Allocations, triton_tensors
from ssmsim.cubin import KernelInfo, code_sha256, kernel_info, kernel_names
from ssmsim.errors import SsmsimError

CLUSTER_DIMENSION = 4  # CUlaunchAttributeID
BUFFER_POINTER, BUFFER_SIZE = 1, 2  # CU_LAUNCH_PARAM_*
MIN_POINTER = 1 << 16


@dataclass(frozen=True)
class Cubin:
    image: bytes
    sha256: str
    kernels: tuple[str, ...]


@dataclass
class Recorded:
    """One launch as noted; `contents` holds buffer bytes by address when all are asked for."""

    kernel: str
    cubin: Cubin
    code_sha256: str
    info: KernelInfo
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    cluster: tuple[int, int, int]
    shared: int
    registers: int
    params: bytes
    buffers: list[dict[str, Any]]
    contents: dict[int, bytes] = field(default_factory=dict)


@dataclass
class Geometry:
    """Arguments of a launch call, read from memory at the given address."""

    function: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    cluster: tuple[int, int, int] | None
    dynamic_shared: int
    stream: int
    kernel_params: int
    extra: int


def _geometry(call: str, at: int) -> Geometry:
    if call == "cuLaunchKernelEx":
        config, function, params, extra = struct.unpack("<4Q", ctypes.string_at(at, 32))
        sizes = struct.unpack("<7I4xQQI", ctypes.string_at(config, 52))
        cluster = None
        for i in range(sizes[9]):
            attribute = ctypes.string_at(sizes[8] + 72 * i, 72)
            if struct.unpack_from("<I", attribute)[0] == CLUSTER_DIMENSION:
                cluster = struct.unpack_from("<3I", attribute, 8)
        return Geometry(function, sizes[0:3], sizes[3:6], cluster, sizes[6], sizes[7], params, extra)
    values = struct.unpack("<Q7I4xQQQ", ctypes.string_at(at, 64))
    extra = 0 if call == "cuLaunchCooperativeKernel" else values[10]
    return Geometry(values[0], values[1:4], values[4:7], None, values[7], values[8], values[9], extra)


def _parameter_bytes(info: KernelInfo, geometry: Geometry) -> bytes:
    data = bytearray(info.param_bytes)
    if geometry.kernel_params:
        pointers = struct.unpack(
            f"<{len(info.params)}Q", ctypes.string_at(geometry.kernel_params, 8 * len(info.params))
        )
        for (offset, size), pointer in zip(info.params, pointers, strict=True):
            data[offset : offset + size] = ctypes.string_at(pointer, size)
    elif geometry.extra:
        packed: dict[int, int] = {}
        at = geometry.extra
        while (key := ctypes.c_uint64.from_address(at).value) in (BUFFER_POINTER, BUFFER_SIZE):
            packed[key] = ctypes.c_uint64.from_address(at + 8).value
            at += 16
        size = min(ctypes.c_uint64.from_address(packed[BUFFER_SIZE]).value, len(data))
        data[:size] = ctypes.string_at(packed[BUFFER_POINTER], size)
    elif info.params:
        raise SsmsimError(f"{info.name} was launched without its {len(info.params)} parameters", "", "report this call")
    return bytes(data)


class Interceptor:
    """Subscribes on creation. `contents`: copy every buffer's bytes. `timed`: time launches instead of noting them."""

    def __init__(self, contents: bool = False, timed: bool = False) -> None:
        self.contents, self.timed = contents, timed
        self.launches: list[Recorded] = []
        self.operations: list[dict[str, Any]] = []
        self.timers: list[tuple[driver.Timer, driver.Timer]] = []
        self.failure: BaseException | None = None
        self.regions = 0
        self.active = False
        self._cubins: dict[str, Cubin] = {}
        self._by_kernel: dict[str, list[Cubin]] = {}
        self._by_module: dict[int, Cubin] = {}
        self._infos: dict[tuple[str, str], tuple[KernelInfo, str]] = {}
        self._thread = threading.local()
        self._gate: driver.Gate | None = None
        self.close = cupti.subscribe(self._on_callback)

    def _on_callback(self, domain: int, cbid: int, data: int) -> None:
        """Runs on whatever thread made the call; an exception must not reach the driver."""
        if self.failure is not None or (getattr(self._thread, "inside", False) and domain != cupti.RESOURCE):
            return
        if domain == cupti.DRIVER and not self.active and cbid in (307, 442, 652, 653):
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
        elif not self.active:
            return
        elif call == "cuGraphLaunch":
            raise SsmsimError("the region launches a CUDA graph", "", "capture the program without CUDA graphs")
        elif call.startswith("cuLaunch"):
            self._launch(call, at)
        elif at.site == cupti.ENTER and not self.timed:
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

    def _cubin(self, kernel: str, function: int) -> Cubin:
        known = self._by_kernel.get(kernel, [])
        if len(known) == 1:
            return known[0]
        cubin = self._by_module.get(driver.module_of(function))
        if cubin is None or kernel not in cubin.kernels:
            why = f"{len(known)} loaded cubins have it" if known else "no loaded cubin has it"
            raise SsmsimError(f"the cubin of {kernel} can't be had: {why}", "", "load it as a module of its own")
        return cubin

    def _launch(self, call: str, at: cupti.CallbackData) -> None:
        if at.site == cupti.EXIT:
            if self.timed:
                start = self._thread.start
                self.timers.append((start, driver.Timer(self._thread.stream)))
            return
        geometry = _geometry(call, at.params)
        kernel = (at.symbol_name or b"").decode()
        function = driver.resolve(geometry.function)
        cubin = self._cubin(kernel, function)
        key = (cubin.sha256, kernel)
        if key not in self._infos:
            self._infos[key] = kernel_info(cubin.image, kernel), code_sha256(cubin.image, kernel)
        info, digest = self._infos[key]
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
            params=_parameter_bytes(info, geometry),
            buffers=[],
        )
        if self.timed:
            if self._gate is None and not self.timers:
                self._gate = driver.Gate(geometry.stream)
                threading.Timer(2.0, self._gate.open).start()  # a program that waits inside the region gets on
            self.launches.append(recorded)
            self._thread.stream = geometry.stream
            self._thread.start = driver.Timer(geometry.stream)
            return
        recorded.buffers = _buffers(recorded)
        if self.contents:
            driver.synchronize()
            recorded.contents = {b["address"]: driver.read_memory(b["address"], b["bytes"]) for b in recorded.buffers}
        self.operations.append({"launch": len(self.launches)})
        self.launches.append(recorded)

    @staticmethod
    def _compiled_cluster(function: int) -> tuple[int, int, int]:
        width, height, depth = (driver.function_attribute(function, driver.CLUSTER_WIDTH + i) for i in range(3))
        return max(1, width), max(1, height), max(1, depth)

    def _memory_operation(self, call: str, at: int) -> None:
        """Memory set or copied by the driver between launches: part of what a replay of the sequence must do."""
        first, second, count = struct.unpack("<QQQ", ctypes.string_at(at, 24))
        if call == "copy":
            self.operations.append({"copy": {"to": first, "from": second, "bytes": count}})
        else:
            width = int(call.removeprefix("memset")) // 8
            value = second & ((1 << (8 * width)) - 1)
            self.operations.append({"set": {"address": first, "width": width, "value": value, "count": count}})


def _buffers(launch: Recorded) -> list[dict[str, Any]]:
    """Buffers by the order of their pointers among the parameters; names and layouts where they are known."""
    blocks = Allocations()
    hints = list(triton_tensors())
    names = next((v for k, v in PARAMETER_NAMES.items() if k in launch.kernel), {})
    found = []
    for offset, pointer in _pointers(launch):
        place = blocks.find(pointer) or driver.allocation_of(pointer)
        if place is None:
            continue
        buffer: dict[str, Any] = {"address": place[0], "bytes": place[1]}
        if pointer != place[0]:
            buffer["pointer"] = pointer
        described = TENSORS.get(pointer)
        hint = next((h for h in hints if h.address == pointer), None)
        if hint is not None:
            hints.remove(hint)
        known = hint or described
        if known is not None:
            buffer |= {"name": known.name, "dtype": known.dtype, "shape": known.shape, "stride": known.stride}
        if offset in names:
            buffer["name"] = names[offset]
        if described is not None:
            buffer["tensor"] = described.name
            if described.recipe is not None and pointer == place[0]:
                buffer["recipe"] = described.name
        found.append(buffer)
    return found


def _pointers(launch: Recorded) -> list[tuple[int, int]]:
    """(offset, value) of every aligned 8-byte word of a parameter that could be a device pointer."""
    found = []
    for offset, size in launch.info.params:
        for at in range(offset + -offset % 8, offset + size - 7, 8):
            value = struct.unpack_from("<Q", launch.params, at)[0]
            if MIN_POINTER <= value < 1 << 57:
                found.append((at, value))
    return found
