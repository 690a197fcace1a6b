"""Sampled runs: what is timed, how the rest is estimated, and that counts stay exact."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_gpu import CAPTURES, CYCLES, simulate, small_gpu

from ssmsim.counters import pipe_instructions
from ssmsim.engines.embedded.sampling import sampled_pool
from ssmsim.engines.embedded.sampling.in_flight_blocks import Seam


def tiny_gpu(**changes):
    """Two SMs of four blocks: a launch of 384 blocks fills many waves."""
    return small_gpu(**({"gpu__sms_per_gpc": (1, 1), "sm__blocks": 4} | changes))


MANY_WAVES = CAPTURES / "ssd-ragged/25-chunk_scan_bwd_dcb_kernel"
EXACT = ("smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", pipe_instructions("lsu"),
         "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
         "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")  # fmt: skip


@settings(deadline=None)
@given(st.integers(1, 50_000), st.integers(4, 3000), st.integers(10, 100_000), st.integers(1, 10_000_000))
def test_segments_ascend_within_the_grid_and_skip_whole_waves(blocks, resident, per_block, target):
    chosen = sampled_pool.segments(blocks, resident, per_block, target)
    assert chosen[0][0] == 0 and chosen[-1][1] == blocks
    assert all(first < last for first, last in chosen)
    assert all(a[1] <= b[0] for a, b in pairwise(chosen))
    timed = sum(last - first for first, last in chosen)
    assert (blocks - timed) % resident == 0
    assert timed == blocks or sampled_pool.MIN_WAVES * resident - 1 <= timed <= sampled_pool.MOST * blocks


def test_segments_cover_all_parts_of_the_grid():
    chosen = sampled_pool.segments(40_000, 396, 3000, 8_000_000)
    starts = [first for first, _ in chosen[1:-1]]
    width = 40_000 / len(starts)
    assert len(starts) >= 3
    assert all(abs(start - (i + 0.5) * width) <= width for i, start in enumerate(starts))


@given(st.integers(2_000, 50_000), st.integers(40, 400), st.sampled_from([2, 4, 8, 16]))
def test_no_segment_begins_within_a_row_of_the_grid(blocks, resident, row):
    chosen = sampled_pool.segments(blocks // row * row, resident, 1000, 1, row)
    assert all(a[1] <= b[0] for a, b in pairwise(chosen))
    edges = np.linspace(resident, blocks // row * row - resident // 4, len(chosen) - 1).astype(int)
    assert all(first % row == 0 or first in edges for first, _ in chosen[1:-1])


@pytest.fixture(scope="module")
def full():
    return simulate(MANY_WAVES, tiny_gpu())


@pytest.fixture(scope="module")
def sampled():
    return simulate(MANY_WAVES, tiny_gpu(), sample=1000)


def test_sampling_times_a_part(full, sampled):
    assert sampled.sampled.fraction < 0.5
    assert sampled.warp_instructions < 0.5 * full.warp_instructions


def test_counts_that_addresses_decide_stay_exact(full, sampled):
    assert {name: sampled.counters[name] for name in EXACT} == {name: full.counters[name] for name in EXACT}


@pytest.mark.parametrize("slots", [1, 2])
def test_no_block_is_lost_where_few_fit(slots):
    launch = CAPTURES / "ssd-small/20-reduce_kernel"
    full, part = (simulate(launch, tiny_gpu(sm__blocks=slots), sample=n) for n in (False, 1))
    assert part.sampled.fraction < 0.34
    assert {name: part.counters[name] for name in EXACT} == {name: full.counters[name] for name in EXACT}


ALIKE = ({}, {"shared__load_latency_cycles": 26}, {"launch__release_cycles": 300}, {"sm__barrier_latency_cycles": 40},
         {"shared__load_latency_cycles": 24}, {"dram__refresh_interval_ns": 1900}, {"launch__release_cycles": 280},
         {"shared__load_latency_cycles": 25}, {"sm__barrier_latency_cycles": 14}, {"dram__refresh_interval_ns": 2000},
         {"sm__barrier_latency_cycles": 20}, {"launch__release_cycles": 320})  # fmt: skip


def test_issue_active_is_that_of_the_whole_run(full, sampled):
    """As near as its cycles are."""
    name = "smsp__issue_active.avg.pct_of_peak_sustained_active"
    assert sampled.counters[name] == pytest.approx(full.counters[name], rel=0.06)


@pytest.mark.long
def test_the_interval_holds_the_whole_run():
    """In GPUs that differ little, as repeated draws: a 95 % interval may miss one of twelve, and the errors cancel."""
    pairs = [[simulate(MANY_WAVES, tiny_gpu(**few), sample=n) for n in (False, 1000)] for few in ALIKE]
    inside = [part.sampled.ci95[0] <= whole.counters[CYCLES] <= part.sampled.ci95[1] for whole, part in pairs]
    errors = [part.counters[CYCLES] / whole.counters[CYCLES] - 1 for whole, part in pairs]
    assert len({whole.counters[CYCLES] for whole, _ in pairs}) == len(ALIKE)
    assert sum(inside) >= len(ALIKE) - 1
    assert max(map(abs, errors)) < 0.08
    assert abs(np.mean(errors)) < 0.035


def test_caches_see_the_skipped_blocks(full, sampled):
    for name, points in (("lts__t_sector_hit_rate.pct", 5), ("l1tex__t_sector_hit_rate.pct", 5)):
        assert sampled.counters[name] == pytest.approx(full.counters[name], abs=points)
    assert sampled.counters["dram__bytes_read.sum"] == pytest.approx(full.counters["dram__bytes_read.sum"], rel=0.1)


def test_blocks_under_way_find_what_the_l2_held_for_them(monkeypatch):
    """An L2 so small that the skipped blocks replace all of it."""
    lost = []

    class Watched(Seam):
        def there(self, state):
            ways = int(state.machine[0].l2.ways)
            sets = self.ways // ways * ways
            found = [
                state.l2_tags.line[first : first + ways] == line + 1
                for first, line in zip(sets, self.lines, strict=True)
            ]
            held = [state.l2_lines.valid[first : first + ways] for first in sets]
            return np.array([int((f * h).sum()) & v for f, h, v in zip(found, held, self.valid, strict=True)], int)

        def close(self, state, counts):
            lost.append(int((self.there(state) != self.valid).sum()))
            super().close(state, counts)
            assert np.array_equal(self.there(state), self.valid)

    monkeypatch.setattr(sampled_pool, "Seam", Watched)
    simulate(MANY_WAVES, tiny_gpu(l2__bytes=60 << 11), sample=1000)
    assert sum(lost) > 20


def test_lines_on_their_way_make_room_like_others_and_are_awaited_again(monkeypatch):
    """Where blocks that pass have replaced them as well as where not; nothing written is lost, no line is there twice."""
    lost, kept = [], []

    class Watched(Seam):
        def __init__(self, state, ends):
            coming = np.flatnonzero(state.l2_lines.pending)
            self.before = {int(way): (state.l2_tags[way].copy(), state.l2_lines[way].copy()) for way in coming}
            super().__init__(state, ends)
            assert not state.l2_lines.pending.any()

        def close(self, state, counts):
            ways = int(state.machine[0].l2.ways)
            for way, (tag, _) in self.before.items():
                first = way // ways * ways
                (kept if tag.line in state.l2_tags.line[first : first + ways] else lost).append(way)
            written = int(counts[0].dram_writes)
            dirty = np.bitwise_count(state.l2_lines.dirty).sum()
            super().close(state, counts)
            assert dirty - np.bitwise_count(state.l2_lines.dirty).sum() == counts[0].dram_writes - written
            assert set(np.flatnonzero(state.l2_lines.pending)) == set(self.before)
            for way, (tag, entry) in self.before.items():
                now = state.l2_lines[way]
                assert state.l2_tags[way].line == tag.line
                assert now.pending == entry.pending and (now.awaited == entry.awaited).all()
                assert now.valid & now.pending == 0 and entry.valid & ~now.valid == 0
            for lines in state.l2_tags.line.reshape(-1, ways):
                there = lines[lines > 0]
                assert len(there) == len(set(there.tolist()))

    monkeypatch.setattr(sampled_pool, "Seam", Watched)
    simulate(MANY_WAVES, tiny_gpu(l2__bytes=60 << 11), sample=1000)
    simulate(MANY_WAVES, tiny_gpu(), sample=1000)
    assert len(lost) > 20 and len(kept) > 20


def test_sampling_is_deterministic(sampled):
    again = simulate(MANY_WAVES, tiny_gpu(), sample=1000)
    assert again.counters == sampled.counters and again.sampled == sampled.sampled


def test_few_waves_run_whole():
    launch = CAPTURES / "ssd-small/25-chunk_scan_bwd_dcb_kernel"
    whole = simulate(launch, small_gpu(gpu__sms_per_gpc=(8, 8)))
    same = simulate(launch, small_gpu(gpu__sms_per_gpc=(8, 8)), sample=True)
    assert same.sampled is None and same.counters == whole.counters
