"""Lines, sectors and bank wavefronts of one access from the addresses of its lanes."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streams import FULL

from ssmsim.engines.embedded.feed import coalesce
from ssmsim.microbenchmarks.programs.sm_memory.wide_access_wavefronts import WIDTHS, strides

MICROBENCHMARKS = Path(__file__).parents[2] / "traces/h200/microbenchmarks"


def banks(row, mask, width, lanes=32, joins=False):
    scratch = np.zeros((32, 34), np.int64)
    return int(coalesce.bank_wavefronts(np.array(row, np.int64), mask, width, lanes, scratch, joins))


@pytest.mark.parametrize(("stride", "width", "passes"), [
    (4, 4, 1), (8, 4, 2), (128, 4, 32), (0, 4, 1), (8, 8, 2), (16, 8, 4), (16, 16, 4), (32, 16, 8), (144, 16, 4), (1, 1, 1),
])  # fmt: skip
def test_passes_over_the_banks(stride, width, passes):
    """As measured: LDS.32 at 4, 8, 128 bytes 1, 2, 32 cycles; LDS.128 at 16, 32, 144 bytes 4, 8, 4.

    Microbenchmark sm_memory/shared_memory_bank_conflicts.
    """
    assert banks([stride * lane for lane in range(32)], FULL, width) == passes


@pytest.mark.parametrize("kind", ["lds64", "lds128", "sts128", "ldsm4"])
def test_passes_when_lanes_share_addresses(kind):
    """By which bits of a lane's number tell its address, as measured with 16 warps.

    Microbenchmark sm_memory/wide_access_wavefronts, all cells.
    """
    loops = json.loads((MICROBENCHMARKS / "sm_memory/wide_access_wavefronts.json").read_text())["loops"]
    cells = [name for name in loops if name.startswith(kind)]
    assert len(cells) >= 12
    for name in cells:
        _, place, bits = name.split(".")
        told = [int(bit) for bit in bits] if bits != "none" else []
        moves = strides(WIDTHS[kind] if place == "near" else 128, tuple(told))
        row = [sum(moves[bit] for bit in range(5) if lane >> bit & 1) for lane in range(32)]
        passes = banks(row, FULL, WIDTHS[kind], joins=kind in ("lds64", "lds128"))
        cycles = loops[name]["cycles_per_round"] / loops[name]["operations"]
        assert cycles / 16 == pytest.approx(passes, rel=0.02), name


def reference_passes(row, mask, width, lanes=32):
    words, total = max(1, width // 4), 0
    group = min(32, 32 // words)
    for start in range(0, lanes, group):
        wanted = {row[i] // 4 + k for i in range(start, start + group) if mask >> i & 1 for k in range(words)}
        total += max([sum(word % 32 == bank for word in wanted) for bank in range(32)])
    return total


@given(st.lists(st.integers(0, 255), min_size=32, max_size=32), st.integers(0, FULL), st.sampled_from([4, 8, 16]))
@settings(max_examples=100, deadline=None)
def test_passes_agree_with_their_definition(cells, mask, width):
    row = [cell * width for cell in cells]
    assert banks(row, mask, width) == reference_passes(row, mask, width)


@given(st.lists(st.integers(0, 1 << 14), min_size=32, max_size=32), st.integers(0, FULL))
@settings(max_examples=100, deadline=None)
def test_lines_hold_exactly_the_sectors_touched(cells, mask):
    row = np.array([4 * cell for cell in cells], np.int64)
    lines = np.zeros(64, np.int64)
    count = int(coalesce.global_lines(row, mask, lines, 0))
    found = {(int(word) >> 8) * 4 + s for word in lines[:count] for s in range(4) if int(word) >> s & 1}
    assert found == {int(row[lane]) >> 5 for lane in range(32) if mask >> lane & 1}
    assert len({int(word) >> 8 for word in lines[:count]}) == count


@pytest.mark.parametrize(("row", "mask", "passes"), [
    ([4 * (lane // 4) for lane in range(32)], FULL, 4), ([4 * lane for lane in range(32)], FULL, 1), ([0] * 32, FULL, 32),
    ([4 * (lane % 8) for lane in range(32)], FULL, 4), ([4 * (lane % 8) for lane in range(32)], 0xFF00FF, 2),
    ([-1] * 32, FULL, 1), ([0] * 32, 0, 1), ([4 * (lane // 4) for lane in range(32)], 0x11111111, 1),
])  # fmt: skip
def test_lanes_that_copy_from_one_address_take_a_pass_each(row, mask, passes):
    """As measured: 1, 2, 4 and 32 lanes to a word 2.1, 3.2, 4.6 and 33 cycles (microbenchmark sm_memory/ldgsts_word_occupancy: hit_same)."""
    assert coalesce.alike(np.array(row, np.int64), mask) == passes
