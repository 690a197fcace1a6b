"""One slice read by ever more warps: the model's lines per 1,000 cycles against those measured on an H100, cell by cell.

A cell's name has the words read of a line (1: 64 bytes; 32: all of it), the rows of one bank or the banks, the readers of
each. row_cycle and column were chosen by cells of rows, the readers' loop by rows.1.1.1: this checks that the rules can
give all cells, not the three values.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from measured_bounds import bounds
from one_slice import gpu, of_bank, rate

MEASURED = Path(__file__).parents[2] / "traces/h100/microbenchmarks/dram/bank_mapping.json"
SECTORS = {"1": 3, "32": 15}
BOUNDS = bounds("h100", "lines_per_1000_cycles", "dram/bank_mapping")
SEVERAL = ["rows.1.12.2", "rows.1.12.4", "rows.1.12.8"]  # lines of a row
MANY = ["banks.1.8.32", "banks.1.16.32", "banks.32.8.32", "banks.32.16.32"]  # readers


@cache
def cells():
    found = json.loads(MEASURED.read_text())["samples"]["rows"]
    return {name: cell["lines_per_1000_cycles"] for name, cell in found.items() if name.count(".") == 3}


def lines_of(kind: str, number: int, each: int) -> np.ndarray:
    """Those of the readers, chosen as the microbenchmark does."""
    if kind == "banks":
        return np.concatenate([np.random.default_rng(2).permutation(of_bank(i)[0])[:each] for i in range(number)])
    lines, row = of_bank(1)
    rows, length = np.unique(row, return_counts=True)
    whole = rows[length == length.max()]  # the first and the last of the 32 MB may not be
    return np.concatenate([lines[row == one][:each] for one in whole[:number]])


def off(name: str, **changes: int) -> float:
    """What the model gives above the measured rate, as a share of that."""
    kind, words, number, each = name.split(".")
    lines = lines_of(kind, int(number), int(each))
    assert len(lines) == int(number) * int(each)
    return rate(lines, SECTORS[words], **changes) / cells()[name] - 1


@pytest.mark.parametrize("name", cells())
def test_readers_get_as_many_lines_as_in_the_model(name):
    assert abs(off(name)) < BOUNDS[name]


@pytest.mark.parametrize("name", SEVERAL)
def test_were_a_column_as_long_as_a_row_they_would_get_far_fewer(name):
    """As if a row were opened for each of its lines."""
    assert off(name, dram__column_cycles=int(gpu().machine[0].dram.row_cycle_cycles)) < -0.4


@pytest.mark.parametrize("name", MANY)
def test_were_few_reads_chosen_among_they_would_too(name):
    assert off(name, dram_queue=16) < -0.3
