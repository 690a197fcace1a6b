"""Requests of a global atomic: one for each lane that names a word again, as ncu counts them (l2/atomic_word_conflicts)."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ssmsim.architecture import LANES, LINE_BYTES, SECTOR_BYTES
from ssmsim.engines.embedded.feed.coalesce import atomic_lines
from ssmsim.engines.embedded.feed.line_word import line_of, sectors_of

BASE = 0x7F00_0000_0000


def requests(addresses: list[int], mask: int) -> tuple[list[tuple[int, int]], int]:
    """[(line, sectors)] and the bits of those with a single lane."""
    lines = np.zeros(LANES + 1, np.int64)
    count, lone = atomic_lines(np.array(addresses, np.int64), np.uint32(mask), lines, 0)
    assert lines[count] == 0
    return [(line_of(int(word)), sectors_of(int(word))) for word in lines[:count]], lone


def test_lanes_of_one_word_go_one_after_the_other():
    for share in (1, 2, 4, 8, 16, 32):
        found, lone = requests([BASE + lane // share * 4 for lane in range(LANES)], (1 << LANES) - 1)
        assert len(found) == share
        assert sum(sectors.bit_count() for _, sectors in found) == max(4, share)
        assert lone == ((1 << 32) - 1 if share == 32 else 0)
        apart, _ = requests([BASE + lane % (LANES // share) * 4 for lane in range(LANES)], (1 << LANES) - 1)
        assert apart == found


@given(st.lists(st.integers(0, 80), min_size=LANES, max_size=LANES), st.integers(1, (1 << LANES) - 1))
def test_each_line_has_as_many_requests_as_lanes_name_the_same_of_its_words(words, mask):
    found, lone = requests([BASE + 4 * word for word in words], mask)
    on = [BASE + 4 * word for lane, word in enumerate(words) if mask >> lane & 1]
    for line in {address // LINE_BYTES for address in on}:
        mine = [address for address in on if address // LINE_BYTES == line]
        masks = [sectors for number, sectors in found if number == line]
        assert len(masks) == max(mine.count(address) for address in mine)
        for sector in range(4):
            here = [a for a in mine if a % LINE_BYTES // SECTOR_BYTES == sector]
            most = max((here.count(a) for a in here), default=0)
            assert sum(m >> sector & 1 for m in masks) == most
    passes = [{a for a in on if on.count(a) > k} for k in range(LANES)]
    single = sum(
        len([a for a in p if a // LINE_BYTES == line]) == 1 for p in passes for line in {a // LINE_BYTES for a in p}
    )
    assert lone.bit_count() == single
