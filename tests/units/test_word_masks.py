"""Sectors of the L2 that several stores fill (l2.word_masks)."""

import numpy as np
import pytest

from ssmsim.engines.embedded.feed import coalesce
from ssmsim.engines.embedded.memory.l2.slice_cache import L2_LINE
from ssmsim.engines.embedded.memory.line_state import written_whole
from ssmsim.engines.embedded.sm import instruction
from ssmsim.engines.embedded.state import records as r
from ssmsim.trace.types import INSTRUCTION

LANES = np.arange(32, dtype=np.int64)
FULL = 0xFFFFFFFF


def words_of(rows: np.ndarray, width: int, atomic: bool = False) -> int:
    """What a store of all lanes writes whole in the sectors that it writes in part, a bit a word."""
    one, ins = r.records(instruction.CODE, 1)[0], np.zeros(1, INSTRUCTION).view(np.recarray)[0]
    one.space, one.is_store, one.is_atomic, ins.width = instruction.GLOBAL, 1, atomic, width
    access, lines = r.records(coalesce.ACCESS, 1)[0], np.zeros(64, np.int64)
    coalesce.one_access(
        ins, one, FULL, rows.reshape(1, 32), 0, 1, access, lines, 0, np.zeros(16, np.int64), coalesce.bank_words()
    )
    return int(access.words)


@pytest.mark.parametrize(("stride", "width", "words"), [(16, 4, 0b00010001), (32, 8, 0b00000011), (8, 2, 0)])
def test_words_that_a_store_writes_of_each_sector(stride: int, width: int, words: int) -> None:
    assert words_of(LANES * stride, width) == words


def test_an_addition_fills_nothing() -> None:
    """It needs what was there before."""
    assert words_of(LANES * 16, 4, atomic=True) == 0


def test_four_stores_fill_a_sector_and_three_do_not() -> None:
    entry = r.records(L2_LINE, 1)[0]
    found = [written_whole(entry, 0b0101, words_of(LANES * 16 + 4 * k, 4)) for k in range(4)]
    assert found == [0, 0, 0, 0b0101]
