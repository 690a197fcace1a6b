"""Lone reads beside readers and writers: the channel's waits against those measured on an H200, rate by rate.

The model has no refresh here: its waits are added to those of an idle GPU, of which some are for refresh. Compared are
the shares of reads that wait longer than a limit. read_idle, read_to_write and write_to_read were chosen by such cells:
this checks that the rule can give all of them, not the three values.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
from one_channel import waits

from ssmsim.microbenchmarks.programs.dram.read_latency_under_load import beyond

MEASURED = Path(__file__).parents[2] / "traces/h200/microbenchmarks/dram/read_latency_under_load.json"
LIMITS = np.array([80, 140, 200])  # cycles; beside readers, less of the 40 to 60 that most reads need vary
ONE_KIND = ["300.0", "1000.0", "0.100", "0.300", "0.600", "0.900"]
BOTH = ["80.200", "150.100", "150.300", "300.300", "300.900", "600.300", "600.600", "1000.300", "1000.900"]
NO_TURN = {"dram__read_to_write_cycles": 4}  # 2 ns


@cache
def cells():
    return json.loads(MEASURED.read_text())["samples"]["rates"]


def measured(name: str) -> np.ndarray:
    return beyond(np.array(cells()[name]["histogram"]), LIMITS)


def modelled(name: str, **changes: int) -> np.ndarray:
    """Shares of reads whose wait in the channel, and that of one on an idle GPU, are together longer than a limit."""
    idle = np.array(cells()["idle_before"]["histogram"]) + cells()["idle_after"]["histogram"]
    of_channel = waits(*cells()[name]["bytes_per_cycle"], **changes)
    return beyond(idle, LIMITS - of_channel[:, None]).mean(0)


def off(names: list[str], **changes: int) -> np.ndarray:
    """Model less measured, [names, limits]."""
    return np.array([modelled(name, **changes) - measured(name) for name in names])


def rms(differences: np.ndarray) -> float:
    return float((differences**2).mean() ** 0.5)


def test_beside_readers_or_writers_alone_lone_reads_wait_as_in_the_model():
    assert rms(off(ONE_KIND)) < 0.03


def test_beside_both_lone_reads_wait_as_in_the_model():
    differences = off(BOTH)
    assert rms(differences) < 0.05 and np.abs(differences).max() < 0.13


def test_without_the_cost_of_a_turn_to_writes_they_would_not():
    differences = off(BOTH, **NO_TURN)
    assert rms(differences) > 0.14
    assert (differences[:, 1:] < -0.03).all()  # too few waits of 140 cycles, whatever the rates
