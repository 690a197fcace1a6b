"""The GPU's own energy counter, through NVML by ctypes: millijoules of the whole board since its driver was loaded."""

import ctypes
from ctypes import byref, c_char_p, c_ulonglong, c_void_p

from ssmsim.capture import driver
from ssmsim.errors import SsmsimError

BUS_ID_BYTES = 32


class EnergyCounter:
    """nvmlDeviceGetTotalEnergyConsumption of the GPU that CUDA calls 0 (Volta and newer).

    Raises SsmsimError without NVML, and with NVML's words for a GPU or a virtual machine that does not give the counter.
    """

    def __init__(self) -> None:
        try:
            self.library = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError:
            raise SsmsimError(
                "no NVML (libnvidia-ml.so.1)", "", "run this on a machine with an NVIDIA driver"
            ) from None
        self.library.nvmlErrorString.restype = c_char_p
        self._call("nvmlInit_v2")
        self.handle = c_void_p()
        self._call("nvmlDeviceGetHandleByPciBusId_v2", _bus_id(), byref(self.handle))
        self.millijoules()  # what it cannot give is said at once

    def millijoules(self) -> int:
        value = c_ulonglong()
        self._call("nvmlDeviceGetTotalEnergyConsumption", self.handle, byref(value))
        return value.value

    def _call(self, name: str, *arguments: object) -> None:
        status = getattr(self.library, name)(*arguments)
        if status:
            text = self.library.nvmlErrorString(status) or b"unknown error"
            raise SsmsimError(f"{name}: {text.decode()}", "", "measure on a GPU whose energy counter can be read")


def _bus_id() -> ctypes.Array[ctypes.c_char]:
    """Where CUDA's GPU 0 sits: NVML counts GPUs in another order."""
    device, text = ctypes.c_int(), ctypes.create_string_buffer(BUS_ID_BYTES)
    driver.call("cuInit", ctypes.c_uint(0))
    driver.call("cuDeviceGet", byref(device), ctypes.c_int(0))
    driver.call("cuDeviceGetPCIBusId", text, ctypes.c_int(BUS_ID_BYTES), device)
    return text
