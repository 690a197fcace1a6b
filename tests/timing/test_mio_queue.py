"""Hand-over of memory instructions: when their registers may be written again, and what waits for its stores."""

import json
from itertools import pairwise

import numpy as np
import pytest
from streams import EXIT, ROOT, issued, one_sm, op, run

MIO = one_sm().mio
READ = MIO.read_release_cycles + 1  # from issue, beyond the registers read
OWN = one_sm().shared.warp_wavefront_cycles
CONFLICTS = [[128 * lane for lane in range(32)]]  # 32 wavefronts
PLAIN = [[4 * lane for lane in range(32)]]


def sts(rows, width=1, **fields):
    name = {1: "STS", 2: "STS.64", 4: "STS.128"}[width]
    return op(f"{name} [R0], R4", sources=[(0, 1), (4, width)], rows=rows, is_store=1, width=4 * width, **fields)


def written(before, last):
    """Cycle at which the registers of `last` may be written, behind `before`; the first issues at 0."""
    cycles = issued([*before, last, op("FADD R0, R1, R1", wait=[0]), EXIT])
    return cycles[len(before) + 1]


@pytest.mark.parametrize("width", [1, 2, 4])
def test_each_register_takes_its_time_to_read(width):
    assert written([], sts(PLAIN, width, read=0)) == READ + (1 + width) * MIO.subcore_interval_cycles


@pytest.mark.parametrize(("width", "places"), [(1, 5), (2, 4), (4, 2)])
def test_registers_are_free_while_stores_wait_for_their_banks(width, places):
    """The unit serves one and has places for so many; the next is handed on when the second is served, 64 cycles later."""
    apart = (1 + width) * MIO.subcore_interval_cycles
    for before, handed in ((places, 1 + apart * places), (places + 1, 1 + 32 * OWN)):
        assert written([sts(CONFLICTS, width)] * before, sts(CONFLICTS, width, read=0)) == handed + READ - 1 + apart


def test_the_warp_that_waits_longest_gets_the_place():
    """Warps of one sub-core that fill its queue take turns, none runs ahead by more than the queue holds."""
    count = 24
    warps = [[0] * count + [1]] * 13  # four of them in the first sub-core
    cycles = run([sts(CONFLICTS), EXIT], warps).cycles
    done = [cycles[0, w][count - 1] for w in (0, 4, 8)]
    assert max(done) - min(done) <= 4 * 32 * 3


ADMITTED = json.loads((ROOT / "traces/h100/microbenchmarks/sm_memory/mio_queue_arbitration.json").read_text())[
    "samples"
]["admit"]
TAKEN_BEFORE, LAST = 8, 14  # loads that the queue takes at once; the sixteenth waits for registers on the GPU


def loads_of(blocks, warps):
    """Issue cycles of the loads of the first sub-core's warps, [warp, load], block by block: four lines each."""
    loads = [
        op(
            "LDG.E.128 R8, desc[UR4][R2.64]",
            stall=4,
            width=16,
            rows=[[(1 << 24) + 512 * k + 16 * lane for lane in range(32)]],
        )
        for k in range(16)
    ]
    cycles = run([*loads, EXIT], [list(range(17))] * warps, blocks=blocks).cycles
    turn = one_sm().launch.full_block_turn  # block b of full blocks begins in sub-core b * turn
    return np.array([cycles[b, w][:16] for b in range(blocks) for w in range(-b * turn % 4, warps, 4)])


def in_order(times):
    """Of each block and the next younger one: whether its warp's last load goes before one of that which found the queue full."""
    return [bool(older[LAST] < younger[TAKEN_BEFORE]) for older, younger in pairwise(np.array(times))]


def test_the_oldest_blocks_warps_get_the_places_of_a_full_queue():
    assert in_order(loads_of(3, 4)) == in_order(ADMITTED["ldg.3.4"]) == in_order(ADMITTED["own.3.4"]) == [True, True]


def test_those_of_one_block_have_turns():
    """They end as close together as on the GPU at most, and when the first ends no other has waited for it."""
    times, measured = loads_of(1, 12), np.array(ADMITTED["ldg.1.12"])
    assert np.ptp(times[:, LAST]) <= np.ptp(measured[:, LAST]) < (LAST - TAKEN_BEFORE) * 16 * 2
    for each in (times, measured):
        assert ((each <= each[:, LAST].min()).sum(axis=1) > 4).all()


def test_a_view_fence_waits_for_the_stores_of_its_warp():
    fence, bar = op("FENCE.VIEW.ASYNC.S", write=1), op("BAR.SYNC 0x0", wait=[1], barrier=0)
    alone = issued([fence, bar, EXIT])
    assert alone[1] - alone[0] == 1 + MIO.view_fence_cycles
    behind = issued([sts(CONFLICTS), fence, bar, EXIT])
    store = one_sm().shared.store_latency_cycles
    assert behind[2] - behind[0] == 1 + 32 + store + MIO.view_fence_cycles


def test_a_fence_of_the_block_does_not_wait_for_banks():
    fence, after = op("MEMBAR.ALL.CTA", stall=6, read=1), op("ERRBAR", wait=[1])
    cycles = issued([sts(CONFLICTS), fence, after, EXIT])
    assert cycles[2] - cycles[0] < 32


@pytest.mark.parametrize("width", [1, 4])
def test_a_store_that_is_on_in_no_lane_sends_nothing(width):
    """Its sub-core's port is free the next cycle, and the unit keeps no data of it: sixteen are handed on a cycle apart."""
    gone = written([], sts(PLAIN, width, read=0, mask=0))
    assert gone == READ + 1
    assert written([sts(PLAIN, width, mask=0)] * 15, sts(PLAIN, width, read=0, mask=0)) == gone + 15


@pytest.mark.parametrize(("mask", "apart"), [(0xFFFFFFFF, MIO.copy_hand_cycles), (0, 1)])
def test_how_far_apart_copies_of_all_subcores_are_handed_on(mask, apart):
    """Twelve of each of four warps; those that are on in no lane a cycle apart."""
    row = [[4 * lane for lane in range(32)], [(1 << 24) + 16 * lane for lane in range(32)]]
    text, sources = "LDGSTS.E.BYPASS.128 [R4], desc[UR4][R2.64]", [(4, 1), (2, 2)]
    copies = [op(text, sources=sources, rows=row, mask=mask, read=0 if i == 11 else -1) for i in range(12)]
    cycles = run([*copies, op("FADD R2, R1, R1", wait=[0]), EXIT], [list(range(14))] * 4).cycles
    took = max(cycles[0, w][12] for w in range(4)) - cycles[0, 0][0]
    assert 48 * apart <= took < 48 * apart + 16  # and the way of the first and the last
