"""Execution pipes of a sub-core, register ports, and the queue in front of the special-function unit.

A pipe with 16 lanes takes a warp instruction every 2 cycles, one with 32 lanes every cycle. fp32 has two pipes of 16
lanes, heavy and lite; integer multiply-add runs on the heavy one only (ncu's pipe names; arXiv 2503.20481, section 5).
Operands come from register banks with so many read ports; a fixed-latency instruction has a window of three cycles to
read them (arXiv 2503.20481, section 5.3), so only a backlog beyond it holds up issue.
"""

from numba import njit

from ssmsim.engines.embedded.records import FIXED, FMA, FP, HEAVY, LITE, NONE, TENSOR

AHEAD = 1  # cycles an instruction may wait at an fp32 pipe: two in turn for one half do not stop the other
WINDOW = 2  # cycles a bank may be behind: the rest of the three-cycle window


@njit(cache=True, forceinline=True)
def free_at(sub, one, cycle):
    """First cycle at which the instruction's pipe takes it."""
    if one.pipe == FMA:
        return (sub.pipe_free_fp[sub.fma_turn] >> FP) - AHEAD
    if one.pipe == HEAVY or one.pipe == LITE:
        return (sub.pipe_free_fp[one.pipe] >> FP) - AHEAD
    return sub.pipe_free_fp[one.pipe] >> FP


@njit(cache=True, forceinline=True)
def occupy(m, counts, sub, one, cycle):
    """Take the pipe; fp32 takes heavy and lite in turn, whatever else is in them.

    Our microbenchmark issue: FFMA with IMAD takes 1.54 cycles per instruction (of four, the heavy pipe gets two IMAD and
    one FFMA), FFMA with LOP3 1.12.
    """
    pipe = one.pipe
    if pipe == FMA:
        pipe = sub.fma_turn
        sub.fma_turn = HEAVY + LITE - pipe
    busy = m.interval_fp[pipe]
    sub.pipe_free_fp[pipe] = max(sub.pipe_free_fp[pipe], cycle << FP) + busy
    counts.pipe_busy_fp[pipe] += busy


@njit(cache=True, forceinline=True)
def dispatch(m, sm, sub, one, cycle):
    """Take the register ports; the cycle at which the instruction has them, from which its stall count runs.

    Until then it stands in the dispatch stage and nothing passes it. An HGMMA uses the ports until it has written its last
    result. An HMMA stays for two cycles (microbenchmark banks: hmma6 within 6 %, 10 % off with one), and while its
    registers are read, operands of memory instructions do not move (beside: hmma6.sts 30.2 = 24 + 6 cycles).
    """
    now = cycle << FP
    beside = sm.tensor_free_fp + (m.gmma_latency << FP) > now
    each = (1 << FP) // m.ports
    if beside:
        each += (m.gmma_port_fp - each) * sm.port_share_fp >> FP
    start = now
    if one.even_reads:
        start = max(sub.even_free_fp, now)
        sub.even_free_fp = start + one.even_reads * each
    if one.odd_reads:
        odd = max(sub.odd_free_fp, now)
        sub.odd_free_fp = odd + one.odd_reads * each
        start = max(start, odd)
    there = max(cycle, (start >> FP) - WINDOW)
    if beside and one.writes:
        there += (slot(m, one, there) - there) * sm.port_share_fp >> FP
    sub.hold = there + (there > cycle)
    if one.pipe == TENSOR and one.kind == FIXED:
        sub.hold = there + 2
        sub.queue_last = max(sub.queue_last, there) + max(one.even_reads, one.odd_reads)
    return there


@njit(cache=True, forceinline=True)
def slot(m, one, cycle):
    """While an HGMMA writes its accumulators, other results have one slot in so many cycles per bank of the first operand.

    Microbenchmark banks, ss128: FFMAs issue every 2 cycles while that bank alternates, or when they read nothing; every 4
    when it stays the same; the bank of the destination makes no difference.
    """
    phase = cycle % m.gmma_result
    if one.first_bank == NONE and phase <= 1:
        return cycle
    wanted = max(0, one.first_bank)
    return cycle + (wanted - phase) % m.gmma_result


@njit(cache=True, forceinline=True)
def special(m, counts, sm, sub, cycle, pipe):
    """Special functions wait in a queue: the cycle at which this one starts.

    Beside a running HGMMA their results wait for a slot too: microbenchmark beside, ex2 every 10.2 cycles instead of 8.
    """
    start = max(sub.pipe_free_fp[pipe], cycle << FP)
    busy = m.interval_fp[pipe]
    if sm.tensor_free_fp > start:
        busy += m.gmma_result << (FP - 1)  # half a period, on average
    sub.pipe_free_fp[pipe] = start + busy
    counts.pipe_busy_fp[pipe] += busy
    return start >> FP


@njit(cache=True, forceinline=True)
def special_at(m, sub, cycle, pipe):
    """First cycle at which the queue of special functions has room."""
    return (sub.pipe_free_fp[pipe] - m.queue * m.interval_fp[pipe]) >> FP
