"""Records of loaded blocks: a block may outlast thousands that are loaded after it."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_gpu import CAPTURES, simulate, small_gpu

from ssmsim.engines.embedded.feed.block_pool import Arena, Pool
from ssmsim.engines.embedded.state import parameters


def pool(held, last):
    """A pool of eight records of which some are held; `last` was the last to be given away."""
    one = Pool.__new__(Pool)
    one.state = SimpleNamespace(loaded=np.zeros(8))
    one.parts, one.latest = {number: [] for number in held}, np.array(last, np.int64)
    return one


@pytest.mark.parametrize(
    ("held", "last", "expected"),
    [
        ([], [], [0, 1, 2]),
        ([0, 1, 2], [2], [3, 4, 5]),
        ([4, 5, 6], [6], [7, 0, 1]),
        ([0, 6], [6], [7, 1, 2]),  # the block in 0 has outlasted a round
        ([0, 1, 2, 3, 4], [2], [5, 6, 7]),
    ],
)
def test_blocks_get_the_next_records_that_are_free(held, last, expected):
    assert pool(held, last)._numbers(3).tolist() == expected


@pytest.mark.parametrize("name", ["04-chunk_scan_fwd_kernel", "01-chunk_state_fwd_kernel"])
def test_how_many_records_there_are_changes_nothing(name, monkeypatch):
    launch = CAPTURES / "ssd-small" / name
    many = simulate(launch, small_gpu(sm__blocks=2))
    monkeypatch.setattr(parameters, "LOADED_CAPACITY", 1)  # twice as many as blocks that fit
    few = simulate(launch, small_gpu(sm__blocks=2))
    assert few.counters == many.counters


@given(st.lists(st.integers(1, 40), min_size=1, max_size=60), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_arena_never_hands_out_a_place_twice(lengths, random):
    arena, held = Arena(), []
    for length in lengths:
        start = arena.take(length)
        assert all(start + length <= s or s + n <= start for s, n in held)
        assert start + length <= arena.size
        held.append((start, length))
        if random.random() < 0.5:
            arena.give(*held.pop(random.randrange(len(held))))
    for part in held:
        arena.give(*part)
    assert arena.holes == [(0, arena.size)]
