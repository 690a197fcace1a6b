"""Answers to a warp come in order where they leave the L1: not before the last of the earlier ones, not later."""

import numpy as np
import pytest
from streams import EXIT, issued, one_sm, op, run

CONFIG = one_sm()
LANES = np.arange(32)
HOT, COLD = 1 << 24, 1 << 25
IDLE = op("FADD R5, R4, R4", stall=15)


def load(address, barrier):
    return op("LDG.E R0, desc[UR4][R2.64]", write=barrier, rows=[address + 4 * LANES])


def copy(address):
    return op("LDGSTS.E.BYPASS.128 [R4], desc[UR4][R2.64]", rows=[4 * LANES, address + 4 * LANES])


def use(barrier):
    return op("FADD R4, R0, R0", wait=[barrier])


IN_L2 = [copy(HOT), op("LDGDEPBAR", write=5), op("DEPBAR.LE SB5, 0x0", depth=0), IDLE]
IN_L1 = [load(HOT, 5), use(5), IDLE]
SLOW = {"load": load(COLD, 0), "copy": copy(COLD)}


def answers(*ops):
    """Issue cycles of the given instructions."""
    cycles = issued([*ops, EXIT])
    return cycles[: len(ops)]


@pytest.mark.parametrize("slow", SLOW)
def test_a_load_from_l2_waits_for_what_its_warp_asked_dram_for(slow):
    """Its first use issues when the earlier answer is there, behind a load a cycle later, which has its turn first; alone much sooner."""
    alone = answers(*IN_L2, load(COLD, 0), use(0))
    behind = answers(*IN_L2, SLOW[slow], load(HOT, 1), use(1))
    assert behind[-1] - behind[-3] == alone[-1] - alone[-2] + (slow == "load")
    fast = answers(*IN_L2, load(HOT, 1), use(1))
    assert fast[-1] - fast[-2] == CONFIG.l2.hit_latency_near_cycles < behind[-1] - behind[-2] - 100


@pytest.mark.parametrize("slow", SLOW)
def test_a_load_that_hits_the_l1_does_not_wait(slow):
    cycles = answers(*IN_L1, SLOW[slow], load(HOT, 1), use(1))
    assert cycles[-1] - cycles[-2] == CONFIG.l1.hit_latency_cycles + 1  # behind another instruction of its sub-core


def test_a_copy_that_hits_the_l1_waits():
    hit = op("LDGSTS.E [R4], desc[UR4][R2.64]", rows=[4 * LANES, HOT + 4 * LANES])
    wait = [op("LDGDEPBAR", write=5), op("DEPBAR.LE SB5, 0x0", depth=0), IDLE]
    alone = answers(*IN_L1, hit, *wait)
    behind = answers(*IN_L1, load(COLD, 0), hit, *wait)
    assert alone[-1] - alone[-4] < 100
    assert behind[-1] - behind[-5] > 0.95 * CONFIG.dram.latency_near_cycles


def test_other_warps_do_not_wait():
    ops = [*IN_L2, load(COLD, 0), use(0), EXIT, IDLE, load(HOT, 0), use(0), EXIT]
    first, second = list(range(7)), [7] * 45 + [8, 9, 10]
    cycles = run(ops, [first, second]).cycles
    assert cycles[0, 1][-2] - cycles[0, 1][-3] == CONFIG.l2.hit_latency_near_cycles
    assert cycles[0, 0][4] < cycles[0, 1][-3] < cycles[0, 1][-2] < cycles[0, 0][5]


def test_later_answers_come_at_once_when_the_first_is_there():
    """Three lines from L2 behind one from DRAM: all uses issue one after the other."""
    ops = [copy(HOT + 4096 * i) for i in range(3)] + IN_L2[1:]
    cycles = answers(*ops, load(COLD, 0), *(load(HOT + 4096 * i, 1 + i) for i in range(3)), *(use(i) for i in range(4)))
    uses = cycles[-4:]
    assert uses == list(range(uses[0], uses[0] + 4))


def test_a_copy_keeps_its_place_until_those_before_it_are_there():
    """Two places: the third copy waits for the second, which is answered behind the first."""
    two = one_sm(mio__copies_awaited=2, mio__place_share=1)
    shared = op("LDS R0, [R2]", write=0, rows=[4 * LANES])

    def waits(first):
        ops = [*IN_L2, copy(first), copy(HOT), copy(HOT), shared, use(0), EXIT]
        cycles = issued(ops, two)
        return cycles[-2] - cycles[-3]

    assert waits(COLD) > CONFIG.dram.latency_near_cycles > waits(HOT) > CONFIG.l2.hit_latency_near_cycles // 2
