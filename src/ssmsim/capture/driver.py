"""The few calls of the CUDA driver API that capture, timing and replay make, through ctypes."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import byref, c_int, c_size_t, c_uint, c_uint64, c_void_p
from functools import cache

from ssmsim.errors import SsmsimError

SHARED_SIZE_BYTES, NUM_REGS, CLUSTER_WIDTH = 1, 4, 11  # CUfunction_attribute
RELAXED = 2  # CUstreamCaptureMode


@cache
def library() -> ctypes.CDLL:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise SsmsimError("no NVIDIA driver (libcuda.so.1)", "", "run this on a machine with an NVIDIA GPU") from None


def call(name: str, *arguments: object) -> None:
    """Call a driver function; an error code becomes a SsmsimError with the driver's own words."""
    function = getattr(library(), name, None)
    if function is None:
        raise SsmsimError(f"the driver has no {name}", "", "install a newer one")
    status = function(*arguments)
    if status:
        text = ctypes.c_char_p()
        library().cuGetErrorString(status, byref(text))
        raise SsmsimError(f"{name}: {(text.value or b'unknown error').decode()}", "", "")


def succeeds(name: str, *arguments: object) -> bool:
    return getattr(library(), name)(*arguments) == 0


def function_attribute(function: int, attribute: int) -> int:
    value = c_int()
    call("cuFuncGetAttribute", byref(value), attribute, c_void_p(function))
    return value.value


def parameters_of(function: int) -> tuple[tuple[int, int], ...] | None:
    """(offset, bytes) of each parameter; None where the driver (before 12.4) does not tell."""
    found: list[tuple[int, int]] = []
    if not hasattr(library(), "cuFuncGetParamInfo"):
        return None
    offset, size = c_size_t(), c_size_t()
    while succeeds("cuFuncGetParamInfo", c_void_p(function), c_size_t(len(found)), byref(offset), byref(size)):
        found.append((offset.value, size.value))
    return tuple(found)


def capturing(stream: int) -> bool:
    """Whether what goes to the stream becomes part of a CUDA graph in place of running."""
    state = c_int()
    return succeeds("cuStreamIsCapturing", c_void_p(stream), byref(state)) and state.value != 0


def resolve(function: int) -> int:
    """The CUfunction of a launch: launches also take a CUkernel, which stands for one in the current context."""
    resolved = c_void_p()
    if succeeds("cuKernelGetFunction", byref(resolved), c_void_p(function)) and resolved.value:
        return resolved.value
    return function


def function_name(function: int) -> str:
    """Its mangled name, "" where the driver (before 12.3) does not tell."""
    name = ctypes.c_char_p()
    told = hasattr(library(), "cuFuncGetName") and succeeds("cuFuncGetName", byref(name), c_void_p(function))
    return (name.value or b"").decode() if told else ""


def current_context() -> int:
    context = c_void_p()
    call("cuCtxGetCurrent", byref(context))
    return context.value or 0


@contextmanager
def relaxed_capture() -> Iterator[None]:
    """What this thread does meanwhile does not disturb streams that are captured into graphs."""
    mode = c_int(RELAXED)
    call("cuThreadExchangeStreamCaptureMode", byref(mode))
    try:
        yield
    finally:
        call("cuThreadExchangeStreamCaptureMode", byref(mode))


def module_of(function: int) -> int:
    module = c_void_p()
    return (module.value or 0) if succeeds("cuFuncGetModule", byref(module), c_void_p(function)) else 0


def global_of(module: int, name: str) -> tuple[int, int] | None:
    """(address, bytes) of a module's variable, None when the module does not give it."""
    address, size = c_uint64(), c_size_t()
    if succeeds("cuModuleGetGlobal_v2", byref(address), byref(size), c_void_p(module), name.encode()) and size.value:
        return address.value, size.value
    return None


def allocation_of(pointer: int, asked_in: int = 0) -> tuple[int, int] | None:
    """(start, bytes) of the driver allocation that holds `pointer`, None when there is none. asked_in: the context that the
    calling thread is to have; 0: the one that it has.
    """
    if asked_in:
        succeeds("cuCtxSetCurrent", c_void_p(asked_in))
    start, size = c_uint64(), c_size_t()
    if succeeds("cuMemGetAddressRange_v2", byref(start), byref(size), c_uint64(pointer)) and size.value:
        return start.value, size.value
    return None


def read_memory(address: int, count: int) -> bytes:
    data = ctypes.create_string_buffer(count)
    call("cuMemcpyDtoH_v2", data, c_uint64(address), c_size_t(count))
    return data.raw


def synchronize() -> None:
    call("cuCtxSynchronize")


class Timer:
    """A CUDA event on a stream; seconds between two of them once both have passed."""

    def __init__(self, stream: int) -> None:
        self.event = c_void_p()
        call("cuEventCreate", byref(self.event), c_uint(0))
        call("cuEventRecord", self.event, c_void_p(stream))

    def microseconds_to(self, other: "Timer") -> float:
        milliseconds = ctypes.c_float()
        call("cuEventElapsedTime_v2", byref(milliseconds), self.event, other.event)
        return milliseconds.value * 1e3


class Gate:
    """Holds a stream until opened, so that the host can queue work ahead and no launch latency is timed."""

    def __init__(self, stream: int) -> None:
        self.flag, device = c_void_p(), c_uint64()
        call("cuMemHostAlloc", byref(self.flag), c_size_t(4), c_uint(2))  # CU_MEMHOSTALLOC_DEVICEMAP
        ctypes.c_uint32.from_address(self.flag.value or 0).value = 0
        call("cuMemHostGetDevicePointer_v2", byref(device), self.flag, c_uint(0))
        call("cuStreamWaitValue32_v2", c_void_p(stream), device, c_uint(1), c_uint(0))  # until value >= 1

    def open(self) -> None:
        ctypes.c_uint32.from_address(self.flag.value or 0).value = 1
