"""How far from silicon the engine may be: traces/GPU/microbenchmarks/bounds.csv, beside the measured results.

A row says of one measured case how large the relative error of a simulated quantity may be, and why where that is known.
The values of the baseline come from these programs, so what one unit does alone must come out to the cycle (2 %); what
several units share may be off by more.

quantity:     cycles_per_round (of saved loops), block_ends (parts of the last end), elapsed_cycles, lines_per_1000_cycles
launches_of:  GPU whose saved launch is replayed, for loops; measured is what this GPU took for it
case:         GROUP/PROGRAM.CASE
"""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

TRACES = Path(__file__).parents[1] / "traces"
GPUS = sorted(file.parents[1].name for file in TRACES.glob("*/microbenchmarks/bounds.csv"))


class Row(NamedTuple):
    quantity: str
    launches_of: str
    case: str
    bound: float
    remark: str


@cache
def rows(gpu: str) -> tuple[Row, ...]:
    with (TRACES / gpu / "microbenchmarks/bounds.csv").open(newline="") as file:
        return tuple(Row(**line | {"bound": float(line["bound"])}) for line in csv.DictReader(file))


def bounds(gpu: str, quantity: str, program: str = "", launches_of: str = "") -> dict[str, float]:
    """Bound by case; with `program` (GROUP/NAME) its cases alone, without that name."""
    prefix = f"{program}." if program else ""
    found = {
        row.case.removeprefix(prefix): row.bound
        for row in rows(gpu)
        if row.quantity == quantity and row.launches_of == launches_of and row.case.startswith(prefix)
    }
    assert found, (gpu, quantity, program)
    return found
