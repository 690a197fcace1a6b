"""Runs a captured sequence again through the driver API alone: captured cubins and parameters, fresh memory.

    python -m ssmsim.capture.relaunch CAPTURE             how far the outputs are from those of the framework's own run
    python -m ssmsim.capture.relaunch CAPTURE --repeat N  the sequence N times, for a profiler; nothing is compared
    ... --sms N                                           on N of the GPU's SMs (a green context)

The framework's outputs are the capture's outputs/. Memory that no recipe fills holds NaN patterns before the first
launch, so that a value that was never written shows.
"""

import argparse
import ctypes
import json
import struct
from collections.abc import Callable
from ctypes import byref, c_int, c_size_t, c_uint64, c_void_p
from pathlib import Path
from typing import Any

import numpy as np

from ssmsim.capture import driver
from ssmsim.capture.sm_partition import enter
from ssmsim.contents import read_contents
from ssmsim.errors import SsmsimError
from ssmsim.launch import Buffer, Launch, read_launch

POISON = 0xFF  # a NaN in every floating-point type
MAX_DYNAMIC_SHARED = 8  # CUfunction_attribute
GRANULE = 2 << 20  # of physical memory that is mapped
LOW = 1 << 32
PINNED, DEVICE, READ_WRITE = 1, 1, 3  # CUmemAllocationType, CUmemLocationType, CUmemAccess_flags
BUFFER_POINTER, BUFFER_SIZE, PARAM_END, COOPERATIVE, CLUSTER = 1, 2, 0, 2, 4


def _allocate_with_low_bits(like: int, size: int) -> int:
    """`size` bytes of device memory at an address that equals `like` in its low 32 bits; both multiples of GRANULE."""
    base, handle = c_uint64(), c_uint64()
    driver.call("cuMemAddressReserve", byref(base), c_size_t(size + LOW), c_size_t(0), c_uint64(0), c_uint64(0))
    address = base.value + (like - base.value) % LOW
    where = struct.pack("<ii", DEVICE, 0)  # CUmemLocation: device 0
    kind = ctypes.create_string_buffer(struct.pack("<ii8s8s8x", PINNED, 0, where, bytes(8)), 32)  # CUmemAllocationProp
    driver.call("cuMemCreate", byref(handle), c_size_t(size), kind, c_uint64(0))
    driver.call("cuMemMap", c_uint64(address), c_size_t(size), c_size_t(0), handle, c_uint64(0))
    access = ctypes.create_string_buffer(where + struct.pack("<i", READ_WRITE), 12)  # CUmemAccessDesc
    driver.call("cuMemSetAccess", c_uint64(address), c_size_t(size), access, c_size_t(1))
    return address


class Memory:
    """Fresh device memory for every stretch of addresses that the captured allocations cover.

    A fresh address has the low 32 bits of the captured one. Parameter structs have padding with what the host's stack
    held, and beside a 32-bit value that can look like a pointer into an allocation: moved, its value stays right.
    """

    def __init__(self, stretches: list[tuple[int, int]]) -> None:
        self.arenas: list[tuple[int, int, int]] = []  # captured start, captured end, fresh start
        merged: list[list[int]] = []
        for start, size in sorted(stretches):
            first, end = start // GRANULE * GRANULE, -(-(start + size) // GRANULE) * GRANULE
            if merged and first <= merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], end)
            else:
                merged.append([first, end])
        for first, end in merged:
            fresh = _allocate_with_low_bits(first, end - first)
            driver.call("cuMemsetD8_v2", c_uint64(fresh), ctypes.c_ubyte(POISON), c_size_t(end - first))
            self.arenas.append((first, end, fresh))

    def at(self, address: int) -> int:
        for start, end, fresh in self.arenas:
            if start <= address < end:
                return fresh + address - start
        raise KeyError(f"{address:#x} lies in no captured allocation")

    def moved(self, data: bytes) -> bytes:
        """Bytes whose 8-byte words may be pointers, with every captured one moved."""
        words = np.frombuffer(data[: len(data) // 8 * 8], "<u8").copy()
        captured = words.copy()
        for start, end, fresh in self.arenas:
            words[(captured >= start) & (captured < end)] += np.uint64((fresh - start) % (1 << 64))
        return words.tobytes() + data[len(words) * 8 :]

    def write(self, address: int, data: bytes) -> None:
        driver.call("cuMemcpyHtoD_v2", c_uint64(self.at(address)), data, c_size_t(len(data)))

    def read(self, address: int, size: int) -> bytes:
        return driver.read_memory(self.at(address), size)


def _function(launch: Launch, modules: dict[Path, c_void_p]) -> c_void_p:
    path = launch.cubin_path.resolve()
    if path not in modules:
        modules[path] = c_void_p()
        driver.call("cuModuleLoadData", byref(modules[path]), path.read_bytes())
    function = c_void_p()
    driver.call("cuModuleGetFunction", byref(function), modules[path], launch.kernel.encode())
    return function


def _params(launch: Launch, memory: Memory) -> bytes:
    """The parameter bytes with every captured pointer moved to fresh memory."""
    data = bytearray(launch.param_bytes)
    pointers = {buffer.passed for buffer in launch.buffers}
    for at in range(0, len(data) - 7, 8):
        value = struct.unpack_from("<Q", data, at)[0]
        if value in pointers:
            struct.pack_into("<Q", data, at, memory.at(value))
    return bytes(data)


def run(launch: Launch, memory: Memory, modules: dict[Path, c_void_p]) -> None:
    """One launch on the default stream, to its end."""
    launcher(launch, memory, modules)()
    driver.synchronize()


def _listed(launch: Launch, buffer: Buffer) -> bool:
    """Whether a recorded list of pointers holds one into a buffer."""
    for each in launch.buffers:
        if each.pointers and each.contents is not None:
            data = read_contents(launch.folder / each.contents, each.bytes)
            words = np.frombuffer(data[: len(data) // 8 * 8], "<u8")
            if ((words >= buffer.address) & (words < buffer.address + buffer.bytes)).any():
                return True
    return False


def launcher(launch: Launch, memory: Memory, modules: dict[Path, c_void_p]) -> Callable[[], None]:
    """What starts a launch on the default stream, clustered or cooperative where it was, as often as it is called."""
    for buffer in launch.buffers:
        if buffer.reached and not _listed(launch, buffer):
            what = f"no recorded list holds the pointer to {buffer.address:#x}: a variable of its module may, which is not set here"
            raise SsmsimError(what, launch.folder, "measure the program itself")
    function = _function(launch, modules)
    static = driver.function_attribute(function.value or 0, driver.SHARED_SIZE_BYTES)
    dynamic = launch.shared_memory_bytes - static
    driver.call("cuFuncSetAttribute", function, c_int(MAX_DYNAMIC_SHARED), c_int(dynamic))
    params = ctypes.create_string_buffer(_params(launch, memory))
    size = c_size_t(len(launch.param_bytes))
    extra = (c_void_p * 5)(BUFFER_POINTER, ctypes.addressof(params), BUFFER_SIZE, ctypes.addressof(size), PARAM_END)
    listed = [struct.pack("<I4x3I52x", CLUSTER, *launch.cluster)] if launch.cluster != (1, 1, 1) else []
    listed += [struct.pack("<I4xi60x", COOPERATIVE, 1)] if launch.cooperative else []
    attributes = ctypes.create_string_buffer(b"".join(listed), max(1, 72 * len(listed)))
    sizes = *launch.grid, *launch.block, dynamic
    geometry = struct.pack("<7I4xQQI", *sizes, 0, ctypes.addressof(attributes), len(listed))
    config = ctypes.create_string_buffer(geometry, 56)
    held = params, size, attributes  # what `extra` and `config` point to

    def start() -> None:
        assert held
        driver.call("cuLaunchKernelEx", config, function, None, extra)

    return start


def replay(folder: Path, repeat: int = 1, sms: int = 0) -> Memory:
    """Run the sequence of a capture `repeat` times, between the driver's profiler start and stop; its memory then.

    sms: on so many SMs; 0 for all.
    """
    enter(sms)
    launches = {file.parent.name: read_launch(file.parent) for file in sorted(folder.glob("*/launch.json"))}
    sequence = json.loads((folder / "sequence.json").read_text())["operations"]
    stretches = {(b.address, b.bytes) for launch in launches.values() for b in launch.buffers}
    for operation in sequence:
        if "copy" in operation:
            stretches |= {(operation["copy"][end], operation["copy"]["bytes"]) for end in ("from", "to")}
    memory = Memory(sorted(stretches))
    for address, file in sorted(_inputs(launches)):
        memory.write(address, read_contents(file))
    modules: dict[Path, c_void_p] = {}
    driver.call("cuProfilerStart")
    for operation in sequence * repeat:
        _do(operation, launches, memory, modules)
    driver.call("cuProfilerStop")
    return memory


def outputs(folder: Path, memory: Memory) -> dict[str, bytes]:
    """The bytes of the outputs that the capture's outputs.json names, as a replay left them."""
    about = json.loads((folder / "outputs" / "outputs.json").read_text())
    sizes = {name: len(read_contents(folder / "outputs" / each["file"])) for name, each in about.items()}
    return {name: memory.read(each["address"], sizes[name]) for name, each in about.items()}


def _inputs(launches: dict[str, Launch]) -> set[tuple[int, Path]]:
    return {
        (buffer.address, (launch.folder / buffer.contents).resolve())
        for launch in launches.values()
        for buffer in launch.buffers
        if buffer.contents is not None and buffer.contents.endswith(".recipe.json")
    }


def _put_contents(launch: Launch, memory: Memory) -> None:
    """What the launch found in memory, where it was recorded at that launch; pointers in it are moved."""
    for buffer in launch.buffers:
        if buffer.contents is not None and not buffer.contents.endswith(".recipe.json"):
            data = read_contents(launch.folder / buffer.contents, buffer.bytes)
            memory.write(buffer.address, memory.moved(data) if buffer.pointers else data)


def _do(operation: dict[str, Any], launches: dict[str, Launch], memory: Memory, modules: dict[Path, c_void_p]) -> None:
    if "launch" in operation:
        _put_contents(launches[operation["launch"]], memory)
        run(launches[operation["launch"]], memory, modules)
    elif "copy" in operation:
        copy = operation["copy"]
        memory.write(copy["to"], memory.read(copy["from"], copy["bytes"]))
    elif "set" in operation:  # what was refused cannot be run again
        fill = operation["set"]
        memory.write(fill["address"], fill["value"].to_bytes(fill["width"], "little") * fill["count"])


def floats(data: bytes, dtype: str) -> np.ndarray:
    """float32 values of float32 or bfloat16 bytes."""
    if dtype == "bfloat16":
        return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32)
    return np.frombuffer(data, np.float32)


def compare(folder: Path, found: dict[str, bytes]) -> dict[str, tuple[bool, float]]:
    """By output: whether it equals the framework's to the bit, and the norm of the difference over the norm."""
    about = json.loads((folder / "outputs" / "outputs.json").read_text())
    compared = {}
    for name, data in found.items():
        want = read_contents(folder / "outputs" / about[name]["file"])
        mine, theirs = (floats(each, about[name]["dtype"]).astype(np.float64) for each in (data, want))
        compared[name] = data == want, float(np.linalg.norm(mine - theirs) / np.linalg.norm(theirs))
    return compared


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("capture", nargs="+", type=Path)
    parser.add_argument("--repeat", type=int, help="run the sequence so often, compare nothing")
    parser.add_argument("--sms", type=int, default=0, help="on so many SMs")
    given = parser.parse_args()
    for folder in given.capture:
        memory = replay(folder, given.repeat or 1, given.sms)
        if given.repeat is None:
            for name, (same, error) in compare(folder, outputs(folder, memory)).items():
                print(f"{folder.name} {name}: {'same bits' if same else f'relative difference {error:.2e}'}")


if __name__ == "__main__":
    main()
