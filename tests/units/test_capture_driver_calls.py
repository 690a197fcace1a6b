"""What the interceptor reads out of a launch call, from calls laid out in memory as the driver gets them."""

import ctypes
import struct
from pathlib import Path

import pytest

from ssmsim.capture import buffers
from ssmsim.capture.calls import parameter_bytes, read_call
from ssmsim.capture.describe import TENSORS, Described
from ssmsim.elf_attributes import code_sha256, kernel_info
from ssmsim.launch import read_launch

SMALL = Path(__file__).parents[1] / "data" / "captures"
SCAN = read_launch(SMALL / "ssd-small" / "04-chunk_scan_fwd_kernel")
INFO = kernel_info(SCAN.cubin_path.read_bytes(), SCAN.kernel)


class Arguments:
    """`void* kernelParams[]` for the parameters of the captured launch."""

    def __init__(self) -> None:
        self.values = [ctypes.create_string_buffer(SCAN.param_bytes[at : at + size], size) for at, size in INFO.params]
        self.table = (ctypes.c_void_p * len(self.values))(*map(ctypes.addressof, self.values))
        self.address = ctypes.addressof(self.table)


def test_launch_kernel_call():
    arguments = Arguments()
    packed = struct.pack("<Q7I4xQQQ", 7, *SCAN.grid, *SCAN.block, 99, 5, arguments.address, 0)
    call = ctypes.create_string_buffer(packed)
    found = read_call("cuLaunchKernel", ctypes.addressof(call))
    assert (found.function, found.grid, found.block, found.cluster) == (7, SCAN.grid, SCAN.block, None)
    assert (found.dynamic_shared, found.stream) == (99, 5)
    assert parameter_bytes(INFO, found) == SCAN.param_bytes


def test_launch_kernel_ex_call_with_a_cluster():
    arguments = Arguments()
    other = struct.pack("<I4xI60x", 9, 1)
    attributes = ctypes.create_string_buffer(other + struct.pack("<I4x3I52x", 4, 2, 1, 1), 144)
    packed = struct.pack("<7I4xQQI4x", 8, 4, 2, 128, 1, 1, 4096, 3, ctypes.addressof(attributes), 2)
    config = ctypes.create_string_buffer(packed, 56)
    call = ctypes.create_string_buffer(struct.pack("<4Q", ctypes.addressof(config), 11, arguments.address, 0))
    found = read_call("cuLaunchKernelEx", ctypes.addressof(call))
    assert (found.function, found.grid, found.block, found.cluster) == (11, (8, 4, 2), (128, 1, 1), (2, 1, 1))
    assert (found.dynamic_shared, found.stream) == (4096, 3)
    assert parameter_bytes(INFO, found) == SCAN.param_bytes


def test_parameters_packed_in_extra():
    packed = ctypes.create_string_buffer(SCAN.param_bytes, len(SCAN.param_bytes))
    size = ctypes.c_size_t(len(SCAN.param_bytes))
    extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(packed), 2, ctypes.addressof(size), 0)
    packed_call = struct.pack("<Q7I4xQQQ", 7, *SCAN.grid, *SCAN.block, 0, 0, 0, ctypes.addressof(extra))
    call = ctypes.create_string_buffer(packed_call)
    found = read_call("cuLaunchKernel", ctypes.addressof(call))
    assert parameter_bytes(INFO, found) == SCAN.param_bytes


def test_buffers_get_allocation_name_and_recipe(monkeypatch: pytest.MonkeyPatch):
    class Blocks:
        def find(self, pointer: int) -> tuple[int, int] | None:
            inside = [(b.address, b.bytes) for b in SCAN.buffers if b.address <= pointer < b.address + b.bytes]
            return inside[0] if inside else None

    monkeypatch.setattr(buffers, "Allocations", Blocks)
    monkeypatch.setattr(buffers.driver, "allocation_of", lambda pointer: None)
    x = next(b for b in SCAN.buffers if b.name == "x_ptr")
    described = Described("x", x.passed, x.bytes, "bfloat16", x.shape, x.stride, {"seed": 1})
    monkeypatch.setitem(TENSORS, x.passed, described)
    found = buffers.find_buffers(SCAN.kernel, INFO.params, SCAN.param_bytes)
    assert [b["address"] for b in found] == [b.address for b in SCAN.buffers]
    named = next(b for b in found if b["address"] == x.address)
    assert named["name"] == "x" and named["recipe"] == "x" and named["shape"] == x.shape
    assert SCAN.provenance["code_sha256"] == code_sha256(SCAN.cubin_path.read_bytes(), SCAN.kernel)
