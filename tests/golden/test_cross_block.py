"""Kernels whose blocks wait for each other or share out work: full mode against numpy, trace mode against full mode."""

from pathlib import Path

import numpy as np
import pytest
from emulator import CUBIN, full, make_launch

from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.trace.types import BlockTrace
from ssmsim.tracers.emulated import in_order
from ssmsim.tracers.emulated.source import EmulatedBlocks

KERNELS = CUBIN.parent / "cross_block.cubin"
U32 = np.uint32


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, U32)


def launch_of(
    folder: Path, kernel: str, arguments: list[object], blocks: int, threads: int = 64
) -> tuple[Launch, list]:
    return make_launch(folder, kernel, arguments, (blocks, 1, 1), (threads, 1, 1), cubin=KERNELS)


def traced(launch: Launch, order: list[int] | None = None) -> tuple[EmulatedBlocks, BlockTrace]:
    source = EmulatedBlocks(launch, order)
    traces = []
    while (trace := source.next_blocks(launch.blocks)) is not None:
        traces.append(trace)
    return source, in_order._joined(traces)


def both(
    folder: Path, kernel: str, arguments: list[object], blocks: int, threads: int = 64
) -> tuple[list, EmulatedBlocks, BlockTrace]:
    """(arrays after full mode, source, trace), where trace mode gives full mode's streams."""
    launch, arrays = launch_of(folder, kernel, arguments, blocks, threads)
    after, whole = full(launch, arrays)
    source, trace = traced(launch)
    for name in ("blocks", "first", "index", "active", "first_access"):
        assert (getattr(trace, name) == getattr(whole, name)).all(), name
    check_awaited(trace, source)
    return after, source, trace


def check_awaited(trace: BlockTrace, source: EmulatedBlocks) -> None:
    """Rows name stores and loads that stand in the streams."""
    instructions, width = source.tracing.code.instructions, source.warps_per_block
    for row in trace.awaited:
        for (block, warp, number), kinds in ((row[:3], ("ST", "RED", "ATOM")), (row[3:], ("LD", "ATOM", "RED"))):
            w = int(np.flatnonzero(trace.blocks == block)[0]) * width + warp
            assert number < trace.first[w + 1] - trace.first[w]
            assert instructions[trace.index[trace.first[w] + number]].base.startswith(kinds)


def test_tiles_by_tickets(tmp_path: Path) -> None:
    (counter, owner), source, trace = both(tmp_path, "tickets", [zeros(1), zeros(10 * 64), 10], 4)
    assert counter[0] == 14
    assert (owner.reshape(10, 64) // 1000 == (np.arange(10) % 4)[:, None]).all()
    assert "ATOMG.E.ADD" in source.timing_dependent[0]
    assert len(trace.awaited) == 13


def test_the_last_block(tmp_path: Path) -> None:
    values = np.arange(6 * 32, dtype=U32)
    (_, _, count, out), source, _ = both(tmp_path, "last_block", [values, zeros(6), zeros(1), zeros(1)], 6, 32)
    assert out[0] == values.sum() and count[0] == 0
    assert any("ATOMG.E.ADD" in place for place in source.timing_dependent)


def test_a_flag(tmp_path: Path) -> None:
    (_, _, out), source, trace = both(tmp_path, "handover", [zeros(1), zeros(1), zeros(64)], 5)
    assert (out == 77 + np.arange(64)).all()
    assert source.timing_dependent == ()  # set once, and seen unset before
    assert (trace.awaited[:, 0] == 4).all() and (trace.awaited[:, 3] == 0).all()


def test_a_lock(tmp_path: Path) -> None:
    (lock, count), source, trace = both(tmp_path, "lock", [zeros(1), zeros(1)], 7, 32)
    assert lock[0] == 0 and count[0] == 28
    assert {place.split()[2] for place in source.timing_dependent} == {"ATOMG.E.CAS.STRONG.GPU"}
    holders = {(a, b) for a, b in trace.awaited[:, [0, 3]].tolist() if a}
    assert holders == {(b, b + 1) for b in range(1, 6)}  # the first try, which stands apart in the code, meets block 0


def test_a_scan_that_looks_back(tmp_path: Path) -> None:
    values = np.arange(9 * 64, dtype=U32) % 7
    arguments = [values, np.zeros(9, np.uint64), zeros(9 * 64), zeros(1)]
    (_, _, out, _), source, _ = both(tmp_path, "lookback", arguments, 9)
    assert (out == np.cumsum(values)).all()
    assert len(source.timing_dependent) >= 2


def test_a_barrier_of_the_grid(tmp_path: Path) -> None:
    data = [(r + 1) * ((b + r + 1) % 5 + 1) for b in range(5) for r in range(3)]
    (arrived, _, out), _, _ = both(tmp_path, "grid_barrier", [zeros(1), zeros(15), zeros(5 * 64), 3], 5)
    assert arrived[0] == 15
    assert (out.reshape(5, 64) == np.array(data).reshape(5, 3).sum(axis=1)[:, None]).all()


def test_a_semaphore_that_blocks_poll_together(tmp_path: Path) -> None:
    (semaphore, total), _, trace = both(tmp_path, "semaphore", [zeros(1), zeros(96)], 5, 96)
    assert semaphore[0] == 0
    expected = 0
    for k in range(5):
        expected = expected * 3 + k
    assert (total == expected).all()
    lengths = np.diff(trace.first).reshape(5, 3)
    assert (lengths[1:] == lengths[1]).all()  # the loop's first pass, and no other


def test_blocks_begin_where_others_have_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch, _ = launch_of(tmp_path, "handover", [zeros(1), zeros(1), zeros(64)], 5)
    _, whole = traced(launch)
    monkeypatch.setattr(in_order, "residents", lambda launch: 2)
    source, trace = traced(launch)
    assert (trace.blocks == whole.blocks).all()
    assert (np.diff(trace.first) == np.diff(whole.first)).all()
    assert (np.bincount(trace.index) == np.bincount(whole.index)).all()
    assert source.timing_dependent == ()


def test_a_deadlock_says_who_waits_for_whom(tmp_path: Path) -> None:
    launch, arrays = launch_of(tmp_path, "forsaken", [zeros(1), zeros(2)], 2)
    for run in (lambda: traced(launch), lambda: full(launch, arrays)):
        with pytest.raises(
            SsmsimError, match=r"LDG.*: deadlock: warp 0 of block 1 polls 0x7e0000000000 in .*block 0 stored"
        ):
            run()


def test_a_barrier_of_more_blocks_than_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_order, "residents", lambda launch: 3)
    launch, _ = launch_of(tmp_path, "grid_barrier", [zeros(1), zeros(15), zeros(5 * 64), 3], 5)
    with pytest.raises(SsmsimError, match=r"deadlock: .*of 3 that are resident together"):
        traced(launch)


@pytest.mark.parametrize("kernel", ["lookback", "tickets"])
def test_some_blocks_are_as_among_all(tmp_path: Path, kernel: str) -> None:
    arguments = {"lookback": [np.ones(9 * 64, U32), np.zeros(9, np.uint64), zeros(9 * 64), zeros(1)],
                 "tickets": [zeros(1), zeros(30 * 64), 30]}[kernel]  # fmt: skip
    launch, _ = launch_of(tmp_path, kernel, arguments, 9)
    _, whole = traced(launch)
    _, part = traced(launch, [7, 2])
    for k, block in enumerate((7, 2)):
        ours = part.index[part.first[2 * k] : part.first[2 * k + 2]]
        assert (ours == whole.index[whole.first[2 * block] : whole.first[2 * block + 2]]).all()


def test_a_flag_that_nobody_waits_for(tmp_path: Path) -> None:
    _, source, _ = both(tmp_path, "glance", [zeros(1), zeros(4)], 4, 32)
    assert [place.split()[2] for place in source.timing_dependent] == ["LDG.E.STRONG.SYS"]
