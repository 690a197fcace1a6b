"""MEMBAR: a fence of GPU scope costs what the sm_memory/fence_latency microbenchmark saw, one of block scope next to nothing."""

import pytest
from streams import EXIT, issued, one_sm, op, run

FENCE = op("MEMBAR.SC.GPU", stall=6)
LOAD = op("LDG.E R0, desc[UR4][R2.64]", write=0, rows=[[(1 << 24) + 4 * lane for lane in range(32)]])
MIO = one_sm().mio
LATENCY = MIO.gpu_fence_latency_cycles
NEAR, FAR = LATENCY + MIO.gpu_fence_near_cycles, LATENCY + MIO.gpu_fence_far_cycles
FLUSHED = LATENCY + MIO.gpu_fence_lead_cycles + MIO.gpu_fence_flushed_cycles


@pytest.mark.parametrize("name", ["MEMBAR.SC.GPU", "MEMBAR.ALL.GPU", "MEMBAR.SC.SYS"])
def test_a_fence_of_gpu_scope_holds_its_warp(name):
    assert issued([op(name, stall=6), op("ERRBAR"), EXIT])[:2] == [0, LATENCY]


def test_a_fence_of_block_scope_is_its_stall_count():
    assert issued([op("MEMBAR.ALL.CTA", stall=6), op("ERRBAR"), EXIT])[:2] == [0, 6]


def test_an_access_of_the_warp_makes_its_next_fence_longer():
    cycles = issued([LOAD, FENCE, FENCE, op("ERRBAR"), EXIT])
    assert cycles[2] - cycles[1] == NEAR
    assert cycles[3] - cycles[2] == LATENCY


def test_longer_still_when_the_line_is_of_the_other_partition():
    """Of every two pages of 4 KB each partition has one; the far one's line comes later."""
    config, seen = one_sm(l2__partitions=2), []
    for page in range(2):
        row = [(1 << 24) + 4096 * page + 4 * lane for lane in range(32)]
        load = op("LDG.E R0, desc[UR4][R2.64]", write=0, rows=[row])
        cycles = issued([load, op("FADD R1, R0, R0", wait=[0]), FENCE, op("ERRBAR"), EXIT], config)
        seen.append((cycles[1] - cycles[0], cycles[3] - cycles[2]))
    near, far = sorted(seen)
    assert far[0] > near[0] + 100
    assert (near[1], far[1]) == (NEAR, FAR)


def test_an_access_of_another_warp_counts_too():
    """Its load is over when the fence begins; fences that overlap share the first trip."""
    idle = [op("FADD R5, R4, R4", stall=15)] * 60
    ops = [LOAD, FENCE, EXIT, *idle, FENCE, FENCE, EXIT]
    wait = list(range(3, 3 + len(idle)))
    both = run(ops, [[0, 2], [*wait, 63, 64, 65]]).cycles
    assert both[0, 1][-2] - both[0, 1][-3] == NEAR
    assert both[0, 1][-1] - both[0, 1][-2] == LATENCY
    meet = run(ops, [[0, 1, 2], [63, 65]]).cycles
    assert abs(meet[0, 0][-1] - meet[0, 1][-1]) <= 1
    assert 0 <= NEAR - (meet[0, 1][-1] - meet[0, 1][-2]) <= 1


def test_an_sm_makes_one_first_trip_at_a_time():
    """Two fences more and more cycles apart, nothing accessed between: as `together` has it, and no case is left out."""
    idle = op("FADD R5, R4, R4", stall=15)
    ops = [LOAD, op("FADD R1, R0, R0", wait=[0]), FENCE, EXIT, idle]
    lead, trip, seen = MIO.gpu_fence_lead_cycles, MIO.gpu_fence_near_cycles, set()
    for wait in range(37, 75):
        cycles = run(ops, [[0, 1, 2, 3], [*[4] * wait, 2, 3]]).cycles
        (first, end), (second, over) = cycles[0, 0][-2:], cycles[0, 1][-2:]
        later = second - first
        if 0 <= later < lead:
            seen.add("together")
            assert over - first == NEAR
        elif lead < later <= trip - lead:
            seen.add("waits")
            assert over - first == trip + MIO.gpu_fence_flushed_cycles + LATENCY
        elif trip - lead < later < NEAR:
            seen.add("beside the second trip")
            assert over - second == FLUSHED
        elif later >= NEAR:
            seen.add("alone")
            assert over - second == LATENCY
        if later >= 0:
            assert end - first == NEAR
    assert len(seen) == 4


def test_a_fence_waits_for_the_stores_of_other_warps():
    """A warp that stores nothing: its fence ends with that of the warp that has stored 32 lines, not before."""
    rows = [[(1 << 24) + 128 * lane for lane in range(32)]]
    store = op("STG.E desc[UR4][R2.64], R0", read=1, rows=rows)
    idle = [op("FADD R5, R4, R4", stall=15)] * 2
    ops = [store, FENCE, EXIT, *idle, FENCE, EXIT]
    cycles = run(ops, [[0, 1, 2], [3, 4, 5, 6]]).cycles
    alone = run(ops, [[3, 4, 5, 6]]).cycles[0, 0]
    assert alone[-1] - alone[-2] == LATENCY
    own, other = cycles[0, 0][-1], cycles[0, 1][-1]
    assert other >= own - 1
    assert own - cycles[0, 0][-2] > NEAR + 32


@pytest.mark.parametrize(
    ("warps", "asked"),
    [([[0, 2]], 1), ([[0, 2], [0, 2]], 1), ([[0, 1, 2]], 2)],
    ids=["one", "two warps that meet", "one after the other"],
)
def test_fences_that_meet_ask_the_slices_once(warps, asked):
    """Every slice by way of the near one: half as many again as there are slices."""
    counts = run([FENCE, FENCE, EXIT], warps).state.counts[0]
    assert counts.l2_sectors == counts.l2_hits == asked * 3 * one_sm().l2.slices // 2
