"""Execution pipes of a sub-core, register ports, and the queue in front of the special-function unit.

A pipe with 16 lanes takes a warp instruction every 2 cycles, one with 32 lanes every cycle. fp32 has two pipes of 16
lanes, heavy and lite; integer multiply-add runs on the heavy one only (ncu's pipe names; arXiv 2503.20481, section 5).
Operands come from register banks with so many read ports; a fixed-latency instruction has a window of three cycles to
read them (arXiv 2503.20481, section 5.3), so only a backlog beyond it holds up issue.
"""

from numba import njit

from ssmsim.engines.embedded.records import FMA, FP, HEAVY, LITE

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
def operands_at(sub, one):
    """First cycle at which the register ports are not too far behind."""
    late = 0
    if one.even_reads:
        late = sub.even_free_fp
    if one.odd_reads and sub.odd_free_fp > late:
        late = sub.odd_free_fp
    return (late >> FP) - WINDOW


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
def read_operands(m, sub, one, cycle):
    now = cycle << FP
    if one.even_reads:
        sub.even_free_fp = max(sub.even_free_fp, now) + (one.even_reads << FP) // m.ports
    if one.odd_reads:
        sub.odd_free_fp = max(sub.odd_free_fp, now) + (one.odd_reads << FP) // m.ports


@njit(cache=True, forceinline=True)
def special(m, counts, sub, cycle, pipe):
    """Special functions wait in a queue: the cycle at which this one starts."""
    start = max(sub.pipe_free_fp[pipe], cycle << FP)
    sub.pipe_free_fp[pipe] = start + m.interval_fp[pipe]
    counts.pipe_busy_fp[pipe] += m.interval_fp[pipe]
    return start >> FP


@njit(cache=True, forceinline=True)
def special_at(m, sub, cycle, pipe):
    """First cycle at which the queue of special functions has room."""
    return (sub.pipe_free_fp[pipe] - m.queue * m.interval_fp[pipe]) >> FP
