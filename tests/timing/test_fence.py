"""MEMBAR: a fence of GPU scope costs what the fence microbenchmark saw, one of block scope next to nothing."""

import pytest
from streams import EXIT, issued, one_sm, op, run

FENCE = op("MEMBAR.SC.GPU", stall=6)
LOAD = op("LDG.E R0, desc[UR4][R2.64]", write=0, rows=[[(1 << 24) + 4 * lane for lane in range(32)]])
LATENCY = one_sm().mio.gpu_fence_latency_cycles


@pytest.mark.parametrize("name", ["MEMBAR.SC.GPU", "MEMBAR.ALL.GPU", "MEMBAR.SC.SYS"])
def test_a_fence_of_gpu_scope_holds_its_warp(name):
    assert issued([op(name, stall=6), op("ERRBAR"), EXIT])[:2] == [0, LATENCY]


def test_a_fence_of_block_scope_is_its_stall_count():
    assert issued([op("MEMBAR.ALL.CTA", stall=6), op("ERRBAR"), EXIT])[:2] == [0, 6]


def test_an_access_of_the_warp_doubles_its_next_fence():
    cycles = issued([LOAD, FENCE, FENCE, op("ERRBAR"), EXIT])
    assert cycles[2] - cycles[1] == 2 * LATENCY
    assert cycles[3] - cycles[2] == LATENCY


def test_an_access_of_another_warp_doubles_it_too():
    """Its load is over when the fence begins; fences that overlap do not spare each other the second trip."""
    idle = [op("FADD R5, R4, R4", stall=15)] * 60
    ops = [LOAD, FENCE, EXIT, *idle, FENCE, FENCE, EXIT]
    wait = list(range(3, 3 + len(idle)))
    both = run(ops, [[0, 2], [*wait, 63, 64, 65]]).cycles
    assert both[0, 1][-2] - both[0, 1][-3] == 2 * LATENCY
    assert both[0, 1][-1] - both[0, 1][-2] == LATENCY
    meet = run(ops, [[0, 1, 2], [63, 65]]).cycles
    assert [w[-1] - w[-2] for w in (meet[0, 0], meet[0, 1])] == [2 * LATENCY, 2 * LATENCY]


def test_a_fence_waits_for_the_stores_of_other_warps():
    """A warp that stores nothing: its fence ends with that of the warp that has stored 32 lines, not before."""
    rows = [[(1 << 24) + 128 * lane for lane in range(32)]]
    store = op("STG.E desc[UR4][R2.64], R0", read=1, rows=rows)
    idle = [op("FADD R5, R4, R4", stall=15)] * 4
    ops = [store, FENCE, EXIT, *idle, FENCE, EXIT]
    cycles = run(ops, [[0, 1, 2], [3, 4, 5, 6, 7, 8]]).cycles
    alone = run(ops, [[3, 4, 5, 6, 7, 8]]).cycles[0, 0]
    assert alone[-1] - alone[-2] == LATENCY
    own, other = cycles[0, 0][-1], cycles[0, 1][-1]
    assert other >= own - 1
    assert own - cycles[0, 0][-2] > 2 * LATENCY


@pytest.mark.parametrize(
    ("warps", "asked"),
    [([[0, 2]], 1), ([[0, 2], [0, 2]], 1), ([[0, 1, 2]], 2)],
    ids=["one", "two warps that meet", "one after the other"],
)
def test_fences_that_meet_ask_the_slices_once(warps, asked):
    """Every slice by way of the near one: half as many again as there are slices."""
    counts = run([FENCE, FENCE, EXIT], warps).state.counts[0]
    assert counts.l2_sectors == counts.l2_hits == asked * 3 * one_sm().l2.slices // 2
