"""Reads a launch call of the driver API out of memory: geometry and parameter bytes."""

import ctypes
import struct
from dataclasses import dataclass

from ssmsim.errors import SsmsimError
from ssmsim.sass.elf_attributes import KernelInfo

COOPERATIVE, CLUSTER_DIMENSION = 2, 4  # CUlaunchAttributeID
BUFFER_POINTER, BUFFER_SIZE = 1, 2  # CU_LAUNCH_PARAM_*


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
    cooperative: bool = False


def read_call(call: str, at: int) -> Geometry:
    if call == "cuLaunchKernelEx":
        config, function, params, extra = struct.unpack("<4Q", ctypes.string_at(at, 32))
        sizes = struct.unpack("<7I4xQQI", ctypes.string_at(config, 52))
        cluster, cooperative = None, False
        for i in range(sizes[9]):
            attribute = ctypes.string_at(sizes[8] + 72 * i, 72)
            number, first = struct.unpack_from("<I4xI", attribute)
            if number == CLUSTER_DIMENSION:
                cluster = struct.unpack_from("<3I", attribute, 8)
            elif number == COOPERATIVE:
                cooperative = first != 0
        return Geometry(function, sizes[0:3], sizes[3:6], cluster, sizes[6], sizes[7], params, extra, cooperative)
    values = struct.unpack("<Q7I4xQQQ", ctypes.string_at(at, 64))
    cooperative = call == "cuLaunchCooperativeKernel"
    extra = 0 if cooperative else values[10]
    return Geometry(values[0], values[1:4], values[4:7], None, values[7], values[8], values[9], extra, cooperative)


def parameter_bytes(info: KernelInfo, geometry: Geometry) -> bytes:
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
