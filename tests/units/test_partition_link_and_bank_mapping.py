"""The sums behind the microbenchmarks noc/partition_link_bandwidth and dram/bank_mapping, and what they ask of a GPU that is none."""

import numpy as np
import pytest

from ssmsim.microbenchmarks.programs.dram import bank_mapping as banks
from ssmsim.microbenchmarks.programs.noc import partition_link_bandwidth as link


def test_sms_of_the_other_side_find_far_pages_near():
    far = np.array([[True, False] * 6] * 3)
    cycles = np.where(far, 800, 620)
    cycles[1] = np.where(far[1], 620, 800)
    assert link.sides_of(cycles, far).tolist() == [False, True, False]


def test_the_argument_of_the_kernels_is_laid_out_as_in_sides_cuh():
    offsets = {name: link.SIDES.fields[name][1] for name in link.SIDES.names}
    assert (
        offsets == {"pages": 0, "side": 16, "number": 24, "mask": 32, "sms": 36, "padding": 44}
        and link.SIDES.itemsize == 48
    )


class Pairs:
    """A bench on which a line is late when it shares the given one's bank, and sooner when it shares its slice."""

    lines = np.arange(2000)

    def __init__(self):
        self.asked = []

    def usual(self, lines, gap, tries):
        self.asked.append((len(lines), gap, tries))
        return np.full(len(lines), 600.0)

    def late(self, lines, gap, tries):
        noise = np.random.default_rng(tries).normal(0, 6 / tries**0.5, len(lines))
        return np.where(lines % 500 == 7, 80, np.where(lines % 96 == 5, -14, 0)) + noise


def test_lines_of_a_slice_are_found_twice_and_those_of_the_bank_left_out():
    found = banks.slice_lines(Pairs())
    assert set(found) == {n for n in range(2000) if n % 96 == 5 and n % 500 != 7}


def test_few_lines_of_a_slice_are_an_error_that_says_so(monkeypatch):
    class Session:
        sms = 132

    monkeypatch.setattr(banks, "Bench", lambda session: Pairs())
    with pytest.raises(RuntimeError, match="21 lines of one slice, but 687 are needed"):
        banks.loaded(Session())
