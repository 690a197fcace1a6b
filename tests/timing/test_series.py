"""Whose turn it is at a pipe within a block: loops of an H100 replayed (series, chains), and the rule by hand."""

from pathlib import Path

import pytest
from streams import EXIT, op, run

from ssmsim.microbenchmarks.replay import compare

ROOT = Path(__file__).parents[2]
# Largest relative error. With turns from instruction to instruction exps_4 took 20 to 37 % too long, alu2_yields 8 to 22 %.
CASES = {
    "series.alu1.8": 0.01,
    "series.alu1.12": 0.02,
    "series.alu1.16": 0.02,
    "series.alu2_yields.8": 0.01,
    "series.alu2_yields.12": 0.01,
    "series.alu2_yields.16": 0.02,
    "series.special8_yields.8": 0.01,
    "series.special8_yields.12": 0.02,
    "series.special8_yields.16": 0.02,
    "chains.exps_4.8": 0.03,
    "chains.exps_4.12": 0.14,
    "chains.exps_4.16": 0.11,
    "chains.exps_4.20": 0.05,
    "chains.exps_16.20": 0.02,
}


@pytest.mark.parametrize("name", CASES)
def test_cycles_per_round_are_those_of_the_gpu(name: str):
    folder = ROOT / "traces/h100/microbenchmarks/launches"
    [row] = [row for row in compare(folder, ROOT / "simconfigs/h100.yaml", [name]) if row.name == name]
    assert not row.failed
    assert row.error == pytest.approx(0, abs=CASES[name])


LENGTH = 12
LOOP = [op("LOP3.LUT R0, R1, R2, R3, 0x0, !PT", stall=2, yields=True)] * LENGTH + [op("BRA 0x0", stall=5), EXIT]


def test_who_took_a_branch_longer_ago_goes_through_its_run_first():
    """Two warps of a sub-core: turns in the first round, one run behind the other in the second."""
    cycles = run(LOOP, [[*range(LENGTH + 1)] * 2 + [LENGTH + 1]] * 8).cycles
    one, other = sorted((cycles[0, w] for w in (0, 4)), key=lambda issued: issued[LENGTH])
    first, second = slice(0, LENGTH), slice(LENGTH + 1, 2 * LENGTH + 1)
    assert max(abs(a - b) for a, b in zip(one[first], other[first], strict=True)) == 2
    assert other[second][1] > one[second][-1]
