"""Reads a launch call of the driver API out of memory: geometry and parameter bytes."""

import ctypes
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ssmsim.elf_attributes import KernelInfo
from ssmsim.errors import SsmsimError

ACCESS_POLICY_WINDOW, COOPERATIVE, CLUSTER_DIMENSION, PROGRAMMATIC, CARVEOUT = 1, 2, 4, 6, 14  # CUlaunchAttributeID
ATTRIBUTE_BYTES = 64  # of CUlaunchAttributeValue
# Attributes that are kept by name, and how their values read: one int, a flag, three ints, or that they were there.
NAMED = {
    ACCESS_POLICY_WINDOW: ("access_policy_window", ""), 3: ("synchronization_policy", "<i"), 5: ("cluster_scheduling_policy", "<i"),
    PROGRAMMATIC: ("programmatic_stream_serialization", "<i"), 7: ("programmatic_event", ""), 8: ("priority", "<i"),
    9: ("memory_synchronization_domain_map", "<2B"), 10: ("memory_synchronization_domain", "<i"),
    11: ("preferred_cluster", "<3I"), 12: ("launch_completion_event", ""), 13: ("device_updatable", "<i"),
    CARVEOUT: ("preferred_shared_memory_carveout", "<i"),
}  # fmt: skip
NODE_ATTRIBUTES = (
    ACCESS_POLICY_WINDOW,
    COOPERATIVE,
    CLUSTER_DIMENSION,
    5,
    8,
    11,
    CARVEOUT,
)  # those that a kernel node of a graph has
Attributes = Sequence[tuple[int, bytes]]
BUFFER_POINTER, BUFFER_SIZE = 1, 2  # CU_LAUNCH_PARAM_*


@dataclass
class Geometry:
    """Arguments of a launch call, read from memory at the given address. attributes: those that have no field, by name."""

    function: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    cluster: tuple[int, int, int] | None
    dynamic_shared: int
    stream: int
    kernel_params: int
    extra: int
    cooperative: bool = False
    attributes: dict[str, Any] = field(default_factory=dict)


def read_attributes(pairs: Attributes) -> tuple[tuple[int, int, int] | None, bool, dict[str, Any]]:
    """(cluster size, cooperative, the others by name) of (CUlaunchAttributeID, value) pairs."""
    cluster: tuple[int, int, int] | None = None
    cooperative, others = False, dict[str, Any]()
    for number, value in pairs:
        if number == CLUSTER_DIMENSION:
            x, y, z = struct.unpack_from("<3I", value)
            cluster = x, y, z
        elif number == COOPERATIVE:
            cooperative = struct.unpack_from("<i", value)[0] != 0
        elif number:  # 0 stands for none
            name, layout = NAMED.get(number, (f"attribute_{number}", ""))
            read = struct.unpack_from(layout, value) if layout else (True,)
            if any(read):  # zero is what a launch without the attribute has
                others[name] = read[0] if len(read) == 1 else list(read)
    return cluster, cooperative, others


def read_call(call: str, at: int) -> Geometry:
    if call == "cuLaunchKernelEx":
        config, function, params, extra = struct.unpack("<4Q", ctypes.string_at(at, 32))
        sizes = struct.unpack("<7I4xQQI", ctypes.string_at(config, 52))
        listed = [ctypes.string_at(sizes[8] + 72 * i, 72) for i in range(sizes[9])]
        pairs = [(struct.unpack_from("<I", each)[0], each[8:]) for each in listed]
        cluster, cooperative, others = read_attributes(pairs)
        return Geometry(
            function, sizes[0:3], sizes[3:6], cluster, sizes[6], sizes[7], params, extra, cooperative, others
        )
    values = struct.unpack("<Q7I4xQQQ", ctypes.string_at(at, 64))
    cooperative = call == "cuLaunchCooperativeKernel"
    extra = 0 if cooperative else values[10]
    return Geometry(values[0], values[1:4], values[4:7], None, values[7], values[8], values[9], extra, cooperative)


def parameter_bytes(info: KernelInfo, geometry: Geometry) -> bytes:
    if info.params and not geometry.kernel_params and not geometry.extra:
        raise SsmsimError(f"{info.name} was launched without its {len(info.params)} parameters", "", "report this call")
    return laid_out(info.params, info.param_bytes, geometry)


def laid_out(layout: Sequence[tuple[int, int]], size: int, geometry: Geometry) -> bytes:
    """The `size` bytes of the parameters of a launch; layout: (offset, bytes) of each."""
    data = bytearray(size)
    if geometry.kernel_params:
        pointers = struct.unpack(f"<{len(layout)}Q", ctypes.string_at(geometry.kernel_params, 8 * len(layout)))
        for (offset, count), pointer in zip(layout, pointers, strict=True):
            data[offset : offset + count] = ctypes.string_at(pointer, count)
    elif geometry.extra:
        packed = packed_parameters(geometry.extra)[:size]
        data[: len(packed)] = packed
    return bytes(data)


def packed_parameters(extra: int) -> bytes:
    """The buffer that the `extra` of a launch names."""
    found: dict[int, int] = {}
    at = extra
    while (key := ctypes.c_uint64.from_address(at).value) in (BUFFER_POINTER, BUFFER_SIZE):
        found[key] = ctypes.c_uint64.from_address(at + 8).value
        at += 16
    return ctypes.string_at(found[BUFFER_POINTER], ctypes.c_uint64.from_address(found[BUFFER_SIZE]).value)
