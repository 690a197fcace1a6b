"""Execution pipes of a sub-core, register ports, and the queue in front of the special-function unit.

A pipe with 16 lanes takes a warp instruction every 2 cycles, one with 32 lanes every cycle. fp32 has two pipes of 16
lanes, heavy and lite; integer multiply-add runs on the heavy one only (ncu's pipe names; arXiv 2503.20481, section 5).
Operands come from register banks with so many read ports; a fixed-latency instruction has a window of three cycles to
read them (arXiv 2503.20481, section 5.3), so only a backlog beyond it holds up issue.
"""

from numba import njit

from ssmsim.engines.embedded.records import FMA, FP, HEAVY, LITE

WINDOW = 2  # cycles a bank may be behind: the rest of the three-cycle window


@njit(cache=True)
def free_at(sub, one, cycle):
    """First cycle at which the instruction's pipe takes it."""
    if one.pipe == FMA:
        return min(sub.pipe_free_fp[HEAVY], sub.pipe_free_fp[LITE]) >> FP
    return sub.pipe_free_fp[one.pipe] >> FP


@njit(cache=True)
def operands_at(sub, one):
    """First cycle at which the register ports are not too far behind."""
    late = 0
    if one.even_reads:
        late = sub.even_free_fp
    if one.odd_reads and sub.odd_free_fp > late:
        late = sub.odd_free_fp
    return (late >> FP) - WINDOW


@njit(cache=True)
def occupy(m, counts, sub, one, cycle):
    """Take the pipe; fp32 prefers the lite pipe, which leaves the heavy one to integer multiplies."""
    pipe = one.pipe
    if pipe == FMA:
        pipe = LITE if sub.pipe_free_fp[LITE] <= sub.pipe_free_fp[HEAVY] else HEAVY
    busy = m.interval_fp[pipe]
    sub.pipe_free_fp[pipe] = max(sub.pipe_free_fp[pipe], cycle << FP) + busy
    counts.pipe_busy_fp[pipe] += busy


@njit(cache=True)
def read_operands(m, sub, one, cycle):
    now = cycle << FP
    if one.even_reads:
        sub.even_free_fp = max(sub.even_free_fp, now) + (one.even_reads << FP) // m.ports
    if one.odd_reads:
        sub.odd_free_fp = max(sub.odd_free_fp, now) + (one.odd_reads << FP) // m.ports


@njit(cache=True)
def special(m, counts, sub, cycle, pipe):
    """Special functions wait in a queue: the cycle at which this one starts."""
    start = max(sub.pipe_free_fp[pipe], cycle << FP)
    sub.pipe_free_fp[pipe] = start + m.interval_fp[pipe]
    counts.pipe_busy_fp[pipe] += m.interval_fp[pipe]
    return start >> FP


@njit(cache=True)
def special_at(m, sub, cycle, pipe):
    """First cycle at which the queue of special functions has room."""
    return (sub.pipe_free_fp[pipe] - m.queue * m.interval_fp[pipe]) >> FP
