"""An access made from what its instruction asked for before is the one that its addresses give."""

import numpy as np
import pytest

from ssmsim.engines.embedded.feed import coalesce, coalesce_cache
from ssmsim.engines.embedded.state import records as r

FULL = 0xFFFFFFFF
SUMS = np.arange(len(coalesce.SUMS), dtype=np.int64)


def test_the_columns_hold_all_sums():
    assert len(coalesce.SUMS) == coalesce_cache.ROWS - coalesce_cache.SUMS


@pytest.mark.parametrize(
    ("moved", "mask", "found"),
    [
        (0, FULL, True),
        (1280, FULL, True),
        (-1280, FULL, True),
        (64, FULL, False),
        (1280, 1, False),
        (-1 << 20, FULL, False),
    ],
)
def test_only_a_move_by_whole_lines_repeats(moved, mask, found):
    rows = np.full((1, 32), 0, np.int64) + 8192 + 16 * np.arange(32)
    accesses, lines, table = r.records(coalesce.ACCESS, 2), np.zeros(64, np.int64), coalesce_cache.nothing(1)
    accesses[0].lines, accesses[0].wavefronts = coalesce.global_lines(rows[0], FULL, lines, 0), 4
    coalesce_cache.remember(table[0], FULL, rows, 0, 1, accesses[0], lines, 0, SUMS)
    sums, there, there_lines = SUMS.copy(), rows + moved, np.zeros(64, np.int64)
    assert coalesce_cache.repeat(table[0], mask, there, 0, 1, accesses[1], there_lines, 0, sums) == found
    if found:
        expected = np.zeros(64, np.int64)
        assert accesses[1].lines == coalesce.global_lines(there[0], mask, expected, 0)
        assert accesses[1].wavefronts == 4 and (there_lines == expected).all() and (sums == 2 * SUMS).all()


def test_lanes_that_read_nothing_are_not_remembered():
    rows = np.full((1, 32), -5, np.int64)
    access, lines, table = r.records(coalesce.ACCESS, 1), np.zeros(32, np.int64), coalesce_cache.nothing(1)
    coalesce_cache.remember(table[0], FULL, rows, 0, 1, access[0], lines, 0, SUMS)
    assert not coalesce_cache.repeat(table[0], FULL, rows, 0, 1, access[0], lines, 0, SUMS.copy())
