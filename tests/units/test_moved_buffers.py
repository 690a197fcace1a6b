"""Buffers of two runs: the distance of each is found from accesses, and a trace is brought back by it."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ssmsim.launch import Buffer, Device, Launch
from ssmsim.trace.moved import Distances, moved_back
from ssmsim.trace.types import INSTRUCTION, BlockTrace, Program

LOADS = 6


def program() -> Program:
    records = np.zeros(LOADS + 1, INSTRUCTION)
    records["pc"], records["accesses"] = 16 * np.arange(LOADS + 1), [1] * LOADS + [0]
    return Program("k", records, ("LDG.E",), ("LDG.E R0, [R2]",) * LOADS + ("EXIT",))


def launch(buffers: list[tuple[int, int]]) -> Launch:
    return Launch(
        format="launch/1", kernel="k", device=Device(name="H200", compute_capability=(9, 0)), grid=(1, 1, 1),
        block=(32, 1, 1), shared_memory_bytes=0, registers_per_thread=8, cubin="k", params="",
        buffers=[Buffer(address=address, bytes=size) for address, size in buffers],
    )  # fmt: skip


def trace(addresses: np.ndarray, mask: int = 0xFFFFFFFF) -> BlockTrace:
    index = np.arange(LOADS + 1, dtype=np.int32)
    masks = np.array([mask] * LOADS + [0xFFFFFFFF], np.uint32)
    return BlockTrace(np.array([0]), np.array([0, LOADS + 1]), index, masks, masks, np.array([0, LOADS]), addresses)


BASE = 0x7F00_4000_0000


@st.composite
def runs(draw):
    """Buffers of the launch, of the other run, and an address of the launch for each lane of each load."""
    sizes = draw(st.lists(st.integers(4, 4096), min_size=1, max_size=4))
    gaps = [draw(st.lists(st.integers(0, 1 << 20), min_size=len(sizes), max_size=len(sizes))) for _ in range(2)]
    places = []
    for base, between in zip((BASE, BASE + draw(st.integers(-(1 << 30), 1 << 30))), gaps, strict=True):
        ends = np.cumsum(np.array(between) + sizes)
        places.append([int(base + end - size) for end, size in zip(ends, sizes, strict=True)])
    which = draw(st.lists(st.integers(0, len(sizes) - 1), min_size=LOADS, max_size=LOADS))
    at = np.array([[draw(st.integers(0, sizes[k] - 1)) for _ in range(2)] * 16 for k in which])
    return sizes, places, which, at


@settings(deadline=None, max_examples=60)
@given(runs())
def test_found_distances_bring_the_trace_back(run) -> None:
    sizes, (captured, traced), which, at = run
    ours, theirs = (trace(np.array([places[k] for k in which])[:, None] + at) for places in (captured, traced))
    distances = Distances(launch(list(zip(captured, sizes, strict=True))), program())
    distances.add(ours, theirs)
    moves = distances.moves()
    assert moves is not None
    assert {(move.captured, move.traced, move.bytes) for move in moves} == {
        (captured[k], traced[k], sizes[k]) for k in which
    }
    assert np.array_equal(moved_back(theirs, moves).addresses, ours.addresses)


def two(first: int, second: int) -> Distances:
    """One buffer, read at its start and at 64 in the launch, at `first` and `second` in the other run."""
    ours, theirs = (np.full((LOADS, 32), BASE, np.int64) for _ in range(2))
    ours[1], theirs[0], theirs[1] = BASE + 64, first, second
    theirs[2:] = first
    distances = Distances(launch([(BASE, 128)]), program())
    distances.add(trace(ours), trace(theirs))
    return distances


def test_a_buffer_that_lies_at_two_distances_is_not_believed() -> None:
    assert two(BASE + 4096, BASE + 4096 + 64).moves() is not None
    assert two(BASE + 4096, BASE + 4096 + 68).moves() is None


def test_lanes_that_fill_with_zeros_or_are_off_say_nothing() -> None:
    ours, theirs = np.full((LOADS, 32), BASE, np.int64), np.full((LOADS, 32), BASE + 512, np.int64)
    ours[0], theirs[0] = ~(BASE + 4), 12345
    theirs[:, 7] = 99
    distances = Distances(launch([(BASE, 128)]), program())
    distances.add(trace(ours, ~(1 << 7) & 0xFFFFFFFF), trace(theirs, ~(1 << 7) & 0xFFFFFFFF))
    moves = distances.moves()
    assert moves is not None and [move.traced - move.captured for move in moves] == [512]


def test_runs_on_different_paths_say_nothing() -> None:
    ours = trace(np.full((LOADS, 32), BASE, np.int64))
    other = replace(ours, index=ours.index[::-1].copy())
    distances = Distances(launch([(BASE, 128)]), program())
    distances.add(ours, other)
    assert distances.moves() is None


def test_without_moves_the_trace_stays() -> None:
    ours = trace(np.full((LOADS, 32), BASE, np.int64))
    assert moved_back(ours, []) is ours
