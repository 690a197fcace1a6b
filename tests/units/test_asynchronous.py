"""mbarriers, copies by the TMA unit and clusters, as the engine runs them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_gpu import BENCHMARKS, CYCLES, ROOT, simulate, small_gpu, whole_gpu

from ssmsim.engines.embedded import instructions
from ssmsim.engines.embedded import simulate as driver
from ssmsim.engines.embedded.feed import async_words
from ssmsim.engines.embedded.feed.line_word import full_of, line_of, sectors_of
from ssmsim.engines.embedded.state import machine
from ssmsim.engines.request import Request
from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.trace import im2col
from ssmsim.tracers import open_tracer

ROW = 32


def run_row(first: int, run: int, counts: list[int], strides: list[int]) -> np.ndarray:
    row = np.full(ROW, -1, np.int64)
    row[async_words.ROW_FIRST], row[async_words.ROW_RUN] = first, run
    row[async_words.ROW_COUNTS : async_words.ROW_COUNTS + 4] = counts
    row[async_words.ROW_STRIDES : async_words.ROW_STRIDES + 4] = strides
    return row


def lines_of(row: np.ndarray) -> list[tuple[int, int, int]]:
    """(line, sectors, whole sectors) of a copy, in the order in which they are asked for."""
    words = np.zeros(1 << 14, np.int64)
    count = async_words.of_bulk_copy(row, words, 0)
    return [(int(line_of(w)), int(sectors_of(w)), int(full_of(w))) for w in words[:count]]


@settings(deadline=None)
@given(st.integers(0, 1 << 12), st.integers(1, 40), st.lists(st.integers(1, 3), min_size=4, max_size=4),
       st.lists(st.integers(0, 60), min_size=4, max_size=4))  # fmt: skip
def test_lines_of_a_tile_are_those_that_its_bytes_lie_in(
    first: int, run: int, counts: list[int], strides: list[int]
) -> None:
    found = lines_of(run_row(16 * first, 16 * run, counts, [16 * s for s in strides]))
    expected: list[tuple[int, int, int]] = []
    for index in np.ndindex(*reversed(counts)):
        start = 16 * first + sum(16 * s * int(i) for s, i in zip(strides, reversed(index), strict=True))
        touched = np.arange(start, start + 16 * run)
        for line in np.unique(touched // 128):
            inside = touched[touched // 128 == line] % 128 // 32
            amount = np.bincount(inside, minlength=4)
            masks = [sum(1 << k for k in range(4) if amount[k] >= least) for least in (1, 32)]
            expected.append((int(line), masks[0], masks[1]))
    assert found == expected


def test_lines_of_pixels_leave_out_those_outside_the_tensor() -> None:
    row = np.full(ROW, -1, np.int64)
    row[im2col.PIXELS], row[im2col.STEPS], row[im2col.CHANNEL], row[im2col.RUN] = 4, 1, 1 << 20, 128
    row[im2col.START : im2col.START + 4] = (-1, 0, 0, 0)
    row[im2col.LOWER : im2col.LOWER + 3], row[im2col.UPPER : im2col.UPPER + 3] = (-1, 0, 0), (4, 0, 0)
    row[im2col.SIZE : im2col.SIZE + 4], row[im2col.STRIDE : im2col.STRIDE + 4] = (3, 1, 1, 1), (256, 0, 0, 0)
    base = (1 << 20) // 128
    assert lines_of(row) == [(base, 15, 15), (base + 2, 15, 15), (base + 4, 15, 15)]


def test_arrivals_of_lanes_at_one_barrier_are_one_operation() -> None:
    words = np.zeros(2 * ROW, np.int64)
    count = 0
    for lane in range(ROW):
        count = async_words.add(words, 0, count, 1024 + 8 * (lane % 2), async_words.counted(1, -16), True)
    assert count == 2
    for k in range(2):
        assert words[2 * k] == 1024 + 8 * k
        assert async_words.arrivals_of(words[2 * k + 1]) == 16
        assert async_words.transactions_of(words[2 * k + 1]) == -256


def finished(monkeypatch: pytest.MonkeyPatch, *arguments: Any, **more: Any) -> tuple[Any, Any]:
    """(result, state at the end) of a run."""
    held = []
    check = driver.conservation.conserve
    monkeypatch.setattr(driver.conservation, "conserve", lambda state, n: (held.append(state), check(state, n)))
    return simulate(*arguments, **more), held[0]


def test_blocks_of_a_cluster_share_a_gpc_and_no_sm(monkeypatch: pytest.MonkeyPatch) -> None:
    launch = BENCHMARKS / "tma/multicast.stream.4.128x32.132"
    _, state = finished(monkeypatch, launch, whole_gpu())
    sms = np.zeros(132, np.int64)
    sms[state.loaded.id[:132]] = state.loaded.sm[:132]
    clusters = state.sms.number[sms].reshape(33, 4)
    gpcs = state.sms.gpc[clusters]
    assert (gpcs == gpcs[:, :1]).all()
    assert all(len(set(row)) == 4 for row in clusters.tolist())
    assert state.sms.takes_clusters.sum() == 124
    assert state.sms.takes_clusters[clusters].all()


def test_a_tile_that_is_sent_to_all_blocks_of_a_cluster_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of two blocks asks for 64 lines of four sectors a round, and gets 128; some lines cross the partitions once."""
    launch = read_launch(BENCHMARKS / "tma/multicast.latency.2.128x64")
    rounds = launch.microbenchmark["rounds"][1]  # type: ignore[attr-defined]
    result, state = finished(monkeypatch, launch, whole_gpu())
    asked = 2 * 64 * 4 * rounds
    assert state.counts[0].l1_fill_sectors == 2 * asked
    assert asked <= result.counters["lts__t_sectors_op_read.sum"] < 1.2 * asked  # type: ignore[operator]


def test_a_cluster_that_no_gpc_holds_is_a_deadlock_by_name() -> None:
    with pytest.raises(SsmsimError, match="no block can start"):
        simulate(BENCHMARKS / "tma/multicast.latency.8.128x32", small_gpu())


def test_clusters_are_timed_whole_where_a_sample_is_asked_for() -> None:
    launch = BENCHMARKS / "cluster/distributed_shared_memory.stores.4.1.16.all"
    assert simulate(launch, whole_gpu(), sample=True).sampled is None


@pytest.mark.parametrize(
    ("changes", "order", "message"),
    [
        ({"launch__schedule": "persistent"}, None, "launch.schedule: persistent"),
        ({"launch__rasterization_width": 2}, None, "launch.rasterization_width: 2"),
        ({}, [0, 1], "a part of the launch"),
    ],
)
def test_what_would_tear_clusters_apart_is_refused(
    changes: dict[str, Any], order: list[int] | None, message: str
) -> None:
    launch = read_launch(BENCHMARKS / "tma/multicast.stream.4.128x32.132")
    program, tracer = decode_launch(launch).program, open_tracer("emulated")
    with pytest.raises(SsmsimError, match=f"{message}, of a launch in clusters"):
        Request(program, tracer.blocks(launch, program, order), launch, whole_gpu(**changes), tracer)


def test_a_barrier_takes_longer_in_clusters_of_more_than_two_blocks() -> None:
    launch = read_launch(BENCHMARKS / "cluster/barrier_latency.relaxed.8.1")
    cycles = simulate(launch, whole_gpu()).counters[CYCLES]
    near = simulate(read_launch(BENCHMARKS / "cluster/barrier_latency.relaxed.1.1"), whole_gpu()).counters[CYCLES]
    rounds = launch.microbenchmark["rounds"][1]  # type: ignore[attr-defined]
    assert cycles is not None and near is not None
    assert cycles - near == pytest.approx(25 * rounds, rel=0.05)


def test_blocks_of_the_study_still_have_no_barriers_to_keep() -> None:
    """What the machinery costs other launches: nothing is kept for them."""
    launch = ROOT / "tests/data/captures/ssd-small/04-chunk_scan_fwd_kernel"
    given = read_launch(launch)
    state = machine.build(instructions.translate(decode_launch(given).program, whole_gpu()), given, whole_gpu(), 4)
    assert len(state.mbarriers) == len(state.clusters) == 1
    assert state.machine[0].mbarriers == state.machine[0].cluster_barriers == state.machine[0].handover == 0
