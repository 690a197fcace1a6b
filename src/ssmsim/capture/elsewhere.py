"""Measures captured launches from their cubins, on the GPU at hand: what another Hopper makes of the same machine code.

Neither PyTorch nor Triton is needed, nor the program that was captured: the sequence is replayed through the driver API
(ssmsim.capture.relaunch), with the captured parameters and inputs, in fresh memory. Cold caches alone.
"""

import sys
from pathlib import Path

from ssmsim.capture import device, ncu
from ssmsim.capture.measure import REPETITIONS, captured, counters, write_schema, write_table
from ssmsim.counters import COUNTERS
from ssmsim.errors import SsmsimError


def measure_captured(captures: Path, folder: Path, repetitions: int = REPETITIONS) -> None:
    """Write measured.csv and measured.schema.json of the launches in `captures` into `folder`.

    Raises SsmsimError without captured launches, GPU or ncu, and when `folder` is the capture's own.
    """
    launches = captured(captures)
    if not (captures / "sequence.json").is_file():
        raise SsmsimError("no sequence.json", captures, "name the folder of a whole capture")
    if folder.resolve() == captures.resolve():
        raise SsmsimError("would replace the capture's own measurements", folder, "name another folder with -o")
    ncu.prefix(COUNTERS, "cold")  # fails at once where there is no ncu
    device.require()
    before = device.smi()
    program = [sys.executable, "-m", "ssmsim.capture.relaunch", str(captures), "--repeat", str(repetitions)]
    table, units = counters(program, launches, "cold", tuple(COUNTERS), repetitions=repetitions)
    once, _ = counters(program, launches, "cold", ncu.IN_SEQUENCE, one_pass=True, repetitions=repetitions)
    for row, single in zip(table, once, strict=True):
        row.values |= single.values
    folder.mkdir(parents=True, exist_ok=True)
    write_table(folder / "measured.csv", table)
    program_of = f"captured launches of {captures.name}, replayed by ssmsim.capture.relaunch"
    write_schema(folder / "measured.schema.json", table, units, before, {"program": program_of})
