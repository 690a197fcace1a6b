"""The sums behind the microbenchmark dram/pause_timing, on made-up reads."""

import numpy as np
import pytest

from ssmsim.microbenchmarks.programs.dram.pause_timing import summary


def reads(
    period: float, length: int, tries: int = 60, lines: int = 300, seed: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """(cycles, ends) of reads that wait for the end of a pause of all channels."""
    draw = np.random.default_rng(seed)
    cycles, ends = np.zeros((2, tries, lines), np.int64)
    now = 0.0
    for place in np.ndindex(tries, lines):
        now += 1000 + int(draw.integers(2048))
        to_end = -now % period
        taken = 600 + int(draw.integers(20)) + (to_end if to_end < length else 0)
        now += taken
        cycles[place], ends[place] = int(taken), int(now)
    return cycles, ends


@pytest.mark.parametrize("period", [198_288.5, 61_000.0])
def test_period_and_length_of_pauses_are_found(period):
    found = summary(*reads(period, 1800))
    assert found["period"] == pytest.approx(period, rel=1e-4) and found["sharpness"] > 0.95
    assert max(found["wait_percentiles"]) == pytest.approx(1800, abs=60)
    assert found["of_all_time"] == pytest.approx(1800 / period, rel=0.05)


def test_without_long_reads_there_is_no_period():
    found = summary(*reads(198_288.5, 500))
    assert found["long"] == 0 and "period" not in found
