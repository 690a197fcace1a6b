"""Copies whose end arrives at an mbarrier, arrivals that drop out, and prefetches into the L2, in hand-made programs."""

import numpy as np
import pytest
from streams import EXIT, Op, issued, one_sm, op, run

BAR = [1024] * 32
GLOBAL = [(1 << 24) + 16 * lane for lane in range(32)]
MBARRIER, MIO = one_sm().mbarrier, one_sm().mio


def start(arrivals: int) -> Op:
    missing = (1 << 20) - arrivals
    return op("SYNCS.EXCH.64 URZ, [UR4], UR6", write=1, rows=[[missing << 1 | missing << 43] * 32, BAR], mask=1)


def copy(line: int = 0) -> Op:
    rows = [[2048 + 16 * lane for lane in range(32)], [a + 512 * line for a in GLOBAL]]
    return op("LDGSTS.E.BYPASS.128 [R3], desc[UR10][R6.64]", stall=2, width=16, rows=rows)


def wait(parity: int) -> Op:
    return op("SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR6], R2", write=0, rows=[[parity] * 32, BAR], mask=1)


ARRIVES = op("ARRIVES.LDGSTSBAR.64.ARVCNT [UR6]", rows=[BAR])
INITIALISED = op("NOP", wait=[1])
DONE = op("IADD3 R0, R1, R2, R3", wait=[0], stall=4)


def last(*middle: Op) -> int:
    """Cycles from the initialised barrier to the issue behind the wait of phase 0."""
    ops = [start(32), INITIALISED, *middle, DONE, EXIT]
    cycles = issued(ops)
    return int(cycles[-2] - cycles[1])


def test_a_barrier_counts_when_the_copies_before_have_ended() -> None:
    """As late as a group's counter, and what a barrier's wait takes beyond a counter's release."""
    group = last(copy(), op("LDGDEPBAR", write=0))
    barrier = last(copy(), ARRIVES, wait(0))
    assert barrier - group == pytest.approx(MBARRIER.copies_wake_cycles, abs=1)


def test_without_copies_it_counts_at_once() -> None:
    assert last(ARRIVES, wait(0)) < 2 * MIO.commit_latency_cycles + MBARRIER.copies_wake_cycles + 20


def test_copies_behind_it_are_not_waited_for() -> None:
    more = [copy(k) for k in range(1, 9)]
    assert last(copy(), ARRIVES, *more, wait(0)) < last(copy(), *more, ARRIVES, wait(0))


def test_transactions_of_copies_come_off_those_announced() -> None:
    """cp.async.mbarrier.arrive without .noinc: an arrival of 32 lanes that comes first completes nothing."""
    announce = op("SYNCS.ARRIVE.TRANS64.RED.A0T1 RZ, [UR5], RZ", rows=[[0] * 32, BAR])
    ends = op("ARRIVES.LDGSTSBAR.64.TRANSCNT [UR5]", rows=[BAR])
    arrive = op("SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR5], RZ", rows=[[0] * 32, BAR])
    plain, counted = last(copy(), arrive, wait(0)), last(copy(), announce, ends, arrive, wait(0))
    assert counted > plain + 100
    assert counted == pytest.approx(last(copy(), ARRIVES, wait(0)), abs=12)


def test_later_phases_expect_fewer_arrivals_once_some_have_dropped_out() -> None:
    drop = op("SYNCS.ARRIVE.TRANS64.OPTOUT.A1T0 RZ, [UR5], RZ", rows=[[0] * 32, BAR], mask=0xFFFF)
    arrive = op("SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR5], RZ", rows=[[0] * 32, BAR], mask=0xFFFF0000)
    first = op("IADD3 R0, R1, R2, R3", wait=[0], stall=4)
    ops = [start(32), INITIALISED, drop, arrive, wait(0), first, arrive, wait(1), DONE, EXIT]
    cycles = issued(ops)  # without the change this is a deadlock
    assert cycles[-2] - cycles[5] < cycles[5] - cycles[1] + 12


def test_a_prefetch_reads_dram_once_and_answers_nobody() -> None:
    row = np.full(32, -1, np.int64)
    row[0], row[3], row[16], row[17], row[18:22] = 1 << 24, 4096, 1 << 24, 4096, 1
    fetch = op("UBLKPF.L2 [UR4], UR6", rows=[row.tolist()])
    state = run([fetch, fetch, EXIT], [[0, 1, 2]]).state
    counts = state.counts[0]
    assert counts.l2_read_sectors == 2 * 4096 // 32
    assert counts.reply_bytes == 0
    assert counts.dram_done * 128 in (4096, 2 * 4096)  # transactions of whole lines or of halves
