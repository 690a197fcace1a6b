"""Measured loops as launch/1 folders beside their cycles, so that an engine can run the very same machine code.

A folder holds the launch with many rounds; its field `microbenchmark` says where in the parameters their count lies,
both counts, and the cycles measured for each. `ssmsim simulate` takes the folder as it is.
"""

import hashlib
import json
import struct
from pathlib import Path
from typing import Any

from ssmsim.capture.reduce import reduce_cubin
from ssmsim.contents import write_contents
from ssmsim.elf_attributes import kernel_info
from ssmsim.errors import SsmsimError
from ssmsim.launch import Buffer, Device, Launch
from ssmsim.microbenchmarks.build import load_program
from ssmsim.microbenchmarks.case import Chase, Loop, Random, Unrecorded

ROUNDS_AT = 8  # kernel(Record* out, int n, ...)


def write_launches(results: Path, cubins: Path, out: Path) -> list[str]:
    """Write out/GROUP/NAME.CASE/ for every loop marked `replay`; returns their names.

    Of a program that lists kernels as KEPT their machine code is kept too, for launches that tests put together.

    results: folder of GROUP/NAME.json. cubins: the compiled programs; their hash must be the one that was measured.
    """
    written = []
    for file in sorted(results.glob("*/*.json")):
        measured = json.loads(file.read_text())
        named = file.relative_to(results).with_suffix("").as_posix()
        program = load_program(named) if "loops" in measured else None
        cases = [case for case in getattr(program, "LOOPS", []) if case.replay and case.name in measured["loops"]]
        kept = getattr(program, "KEPT", ())
        if not cases and not kept:
            continue
        cubin = cubins / f"{named}.cubin"
        image = cubin.read_bytes()
        if hashlib.sha256(image).hexdigest() != measured["cubin_sha256"]:
            raise SsmsimError("not the machine code that was measured", cubin, "measure again")
        for kernel in kept:
            _cubin(out, named, image, kernel)
        for case in cases:
            name = f"{named}.{case.name}"
            _write(out / name, named, case, measured, image)
            written.append(name)
    return written


def _cubin(out: Path, program: str, image: bytes, kernel: str) -> Path:
    """out/GROUP/cubins/NAME.KERNEL.cubin, the machine code of this kernel alone."""
    group, name = program.split("/")
    cubin = out / group / "cubins" / f"{name}.{kernel}.cubin"
    cubin.parent.mkdir(parents=True, exist_ok=True)
    cubin.write_bytes(reduce_cubin(image, {kernel}))
    return cubin


def _write(folder: Path, program: str, case: Loop, measured: dict[str, Any], image: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    row = measured["loops"][case.name]
    cubin = _cubin(folder.parents[1], program, image, case.kernel)
    buffers = [Buffer(name="out", address=row["out"], bytes=32 * case.blocks * case.warps)]
    for buffer, argument in zip(row["buffers"], (a for a in case.args if hasattr(a, "contents")), strict=True):
        contents = None
        if not isinstance(argument, Random | Unrecorded):
            data = argument.contents(buffer["address"])
            contents = "ring.bin.zst" if isinstance(argument, Chase) else "zeros.bin.zst"
            write_contents(folder / contents, bytes(argument.bytes) if data is None else data.tobytes())
        buffers.append(Buffer(name="data", address=buffer["address"], bytes=buffer["bytes"], contents=contents))
    params = bytearray.fromhex(row["parameters"])
    struct.pack_into("<i", params, ROUNDS_AT, row["rounds"][1])
    facts = {
        "rounds_at": ROUNDS_AT, "rounds": row["rounds"], "cycles_few": row["cycles_few"],
        "cycles_many": row["cycles_many"], "operations": row["operations"],
        "cold": case.cold,
    }  # fmt: skip
    launch = Launch(
        format="launch/1",
        kernel=case.kernel,
        device=Device(name=measured["device"]["name"], compute_capability=(9, 0)),
        grid=(case.blocks, 1, 1),
        block=(case.threads, 1, 1),
        cluster=(case.cluster, 1, 1),
        shared_memory_bytes=case.shared + kernel_info(image, case.kernel, cubin).static_shared,
        registers_per_thread=row["registers"],
        cubin=f"../cubins/{cubin.name}",
        params=params.hex(),
        buffers=buffers,
        provenance={"microbenchmark": program, "date": measured["date"]},
        microbenchmark=facts,  # type: ignore[call-arg]
    )
    launch.write(folder)
