"""Which instruction waits for what, and how long: a line per static instruction that was executed."""

import csv
from pathlib import Path

import numpy as np

from ssmsim.counters import STALL_REASONS
from ssmsim.engines.embedded.state.machine import State
from ssmsim.files import whole_file
from ssmsim.trace.types import Program


def write(path: Path | str, state: State, executed: np.ndarray, program: Program) -> None:
    """CSV: pc, executions, then warp cycles per stall reason, then the text. A wait is the waiting instruction's.

    executed: int64[instructions]. Divided by executions a cell is the mean wait; a column's sum over all issued
    instructions is ncu's warp state of that name.
    """
    with whole_file(path) as temporary, temporary.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["pc", "executed", *STALL_REASONS, "text"])
        for i in np.flatnonzero(executed):
            pc = f"{int(program.instructions['pc'][i]):#x}"
            rows.writerow([pc, int(executed[i]), *state.stalls[i].tolist(), program.text[i].strip()])
