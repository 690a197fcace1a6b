"""The few calls of the CUDA driver that a measurement needs, through ctypes: load, allocate, launch, read back."""

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

RECORD = np.dtype([("start", "u8"), ("end", "u8"), ("global", "u8"), ("smid", "u4"), ("sink", "u4")])  # common.cuh
ATTRIBUTES = {"sms": 16, "clock_khz": 13, "memory_clock_khz": 36, "l2_bytes": 38, "bus_bits": 37,
              "shared_per_sm": 81, "shared_per_block": 97, "registers_per_sm": 82}  # fmt: skip
MAX_DYNAMIC_SHARED, CARVEOUT = 8, 9  # CUfunction_attribute


class Gpu:
    """One device, one context. Raises RuntimeError with the driver's own name of the error."""

    def __init__(self) -> None:
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.device = device
        self.events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in self.events:
            self.call("cuEventCreate", ctypes.byref(event), 0)

    def call(self, name: str, *arguments: Any) -> None:
        status = getattr(self.cuda, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(status, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'?').decode()}")

    def facts(self) -> dict[str, Any]:
        """Name, UUID (parts of one type differ by some per cent), driver, and what a configuration can be checked against."""
        name, driver, value = ctypes.create_string_buffer(100), ctypes.c_int(), ctypes.c_int()
        self.call("cuDeviceGetName", name, 100, self.device)
        self.call("cuDriverGetVersion", ctypes.byref(driver))
        self.call("cuDeviceGetUuid_v2", (uuid := ctypes.create_string_buffer(16)), self.device)
        found: dict[str, Any] = {
            "name": name.value.decode(),
            "uuid": str(UUID(bytes=uuid.raw)),
            "cuda_driver": driver.value,
        }
        for attribute, number in ATTRIBUTES.items():
            self.call("cuDeviceGetAttribute", ctypes.byref(value), number, self.device)
            found[attribute] = value.value
        return found

    def load(self, cubin: Path) -> ctypes.c_void_p:
        module = ctypes.c_void_p()
        self.call("cuModuleLoad", ctypes.byref(module), str(cubin).encode())
        return module

    def function(self, module: ctypes.c_void_p, name: str, shared: int = 0, carveout: int = -1) -> ctypes.c_void_p:
        """A kernel, allowed `shared` bytes of dynamic shared memory; carveout: percent of the SM, -1 the driver's."""
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        self.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, shared)
        self.call("cuFuncSetAttribute", function, CARVEOUT, carveout)
        return function

    def registers(self, function: ctypes.c_void_p) -> int:
        value = ctypes.c_int()
        self.call("cuFuncGetAttribute", ctypes.byref(value), 4, function)
        return value.value

    def symbol(self, module: ctypes.c_void_p, name: str) -> int:
        """Address of a __constant__ or __device__ variable."""
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        self.call("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), module, name.encode())
        return address.value

    def allocate(self, size: int) -> int:
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value

    def host(self, size: int) -> int:
        """Address of `size` bytes of the host's memory that the device reads and writes over the bus."""
        address = ctypes.c_uint64()
        self.call("cuMemHostAlloc", ctypes.byref(address), ctypes.c_size_t(size), 3)  # for every context, mapped
        return address.value

    def free(self, address: int) -> None:
        self.call("cuMemFree_v2", ctypes.c_uint64(address))

    def zero(self, address: int, size: int) -> None:
        self.call("cuMemsetD8_v2", ctypes.c_uint64(address), ctypes.c_ubyte(0), ctypes.c_size_t(size))

    def upload(self, address: int, data: np.ndarray) -> None:
        data = np.ascontiguousarray(data)
        pointer = ctypes.c_void_p(data.ctypes.data)
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), pointer, ctypes.c_size_t(data.nbytes))

    def download(self, address: int, count: int, dtype: Any) -> np.ndarray:
        data = np.empty(count, dtype)
        pointer = ctypes.c_void_p(data.ctypes.data)
        self.call("cuMemcpyDtoH_v2", pointer, ctypes.c_uint64(address), ctypes.c_size_t(data.nbytes))
        return data

    def launch(
        self, function: ctypes.c_void_p, grid: Sequence[int], block: Sequence[int], shared: int, arguments: list[Any]
    ) -> None:
        """Start a kernel; arguments are NumPy scalars or arrays (structs passed by value)."""
        values = [np.atleast_1d(a).copy() for a in arguments]
        pointers = (ctypes.c_void_p * len(values))(*[v.ctypes.data for v in values])
        self.call("cuLaunchKernel", function, *grid, *block, shared, None, pointers, None)

    def synchronize(self) -> None:
        self.call("cuCtxSynchronize")

    def timed(self, *launch: Any) -> float:
        """Milliseconds between events around one launch."""
        self.call("cuEventRecord", self.events[0], None)
        self.launch(*launch)
        self.call("cuEventRecord", self.events[1], None)
        self.call("cuEventSynchronize", self.events[1])
        elapsed = ctypes.c_float()
        self.call("cuEventElapsedTime", ctypes.byref(elapsed), *self.events)
        return elapsed.value
