"""Our own kernels of tests/data/kernels, run by the emulator in full mode and traced in trace mode."""

import json
import struct
from pathlib import Path

import numpy as np

from ssmsim.launch import Launch, read_launch
from ssmsim.sass.decode import Code, decode_launch
from ssmsim.sass.kernel_elf import read_kernel
from ssmsim.trace.types import BlockTrace
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.full import run_full
from ssmsim.tracers.emulated.source import EmulatedBlocks

CUBIN = Path(__file__).parents[1] / "data" / "kernels" / "control.cubin"
FIRST_ADDRESS = 0x7E0000000000
GRID, BLOCK = (2, 1, 1), (96, 1, 1)
TABLE = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]  # table_ in control.cu
Dim3 = tuple[int, int, int]


def pack(arguments: list[object]) -> tuple[bytes, list[tuple[int, np.ndarray]]]:
    """Parameter bytes and (address, contents) of the arrays among the arguments."""
    params, arrays = b"", []
    for value in arguments:
        if isinstance(value, np.ndarray):
            arrays.append((FIRST_ADDRESS + (len(arrays) << 24), value))
            word = struct.pack("<Q", arrays[-1][0])
        else:
            word = struct.pack("<q", int(value)) if isinstance(value, np.int64) else struct.pack("<i", int(str(value)))
        params += bytes(-len(params) % len(word)) + word
    return params, arrays


def make_launch(
    folder: Path,
    kernel: str,
    arguments: list[object],
    grid: Dim3,
    block: Dim3,
    record: bool = True,
    cubin: Path = CUBIN,
) -> tuple[Launch, list[tuple[int, np.ndarray]]]:
    """A launch/1 folder of one of our kernels; record: with the contents of its buffers."""
    folder.mkdir(parents=True, exist_ok=True)
    params, arrays = pack(arguments)
    found = read_kernel(cubin.read_bytes(), kernel, cubin)
    buffers = []
    for i, (address, array) in enumerate(arrays):
        buffers.append({"name": f"array {i}", "address": address, "bytes": array.nbytes})
        if record:
            (folder / f"{i}.bin").write_bytes(array.tobytes())
            buffers[-1]["contents"] = f"{i}.bin"
    (folder / "kernel.cubin").write_bytes(cubin.read_bytes())
    table = np.array(TABLE, np.int32).tobytes()  # the host leaves the kernels' __constant__ table as it is initialised
    (folder / "table_.bin").write_bytes(table)
    variables = [{"name": "table_", "kind": "constant", "bytes": len(table), "contents": "table_.bin"}]
    fields = {
        "format": "launch/1", "kernel": kernel, "device": {"name": "none", "compute_capability": [9, 0]},
        "grid": grid, "block": block, "cubin": "kernel.cubin", "params": params.hex(), "buffers": buffers,
        "variables": variables if cubin == CUBIN else [], "shared_memory_bytes": found.static_shared, "registers_per_thread": found.registers,
    }  # fmt: skip
    (folder / "launch.json").write_text(json.dumps(fields))
    return read_launch(folder), arrays


def full(launch: Launch, arrays: list[tuple[int, np.ndarray]]) -> tuple[list[np.ndarray], BlockTrace]:
    """The arrays after a launch, and what it executed (all blocks in one batch)."""
    image = Image([(a, x.nbytes, "array") for a, x in arrays], store=True)
    for address, array in arrays:
        image.write(address, array)
    (trace,) = run_full(launch, image, keep_trace=True)
    return [image.read(a, x.nbytes).view(x.dtype) for a, x in arrays], trace


def traced(launch: Launch) -> tuple[Code, BlockTrace]:
    """What trace mode says that it executes."""
    source = EmulatedBlocks(launch, None)
    source._batch = launch.blocks
    trace = source.next_blocks(launch.blocks)
    assert trace is not None
    return decode_launch(launch), trace
