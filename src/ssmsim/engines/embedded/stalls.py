"""Warp states: why each warp did not issue, in warp cycles per static instruction and reason, by ncu's names.

A warp's state is settled when it changes, not every cycle: `state` holds from `mark` to `ready`; a warp that is ready
and has not issued was not selected. stalls: int64[instructions, len(STALL_REASONS)].
"""

from numba import njit

from ssmsim.counters import STALL_REASONS
from ssmsim.engines.embedded.events import RETIRE, schedule
from ssmsim.engines.embedded.records import COUNTER_MASK, DEPBAR, GMMA_WAIT, INF
from ssmsim.engines.embedded.records import GMMA as HGMMA

(BARRIER, BRANCHING, DISPATCH, DRAIN, GMMA, IMC, LG, LONG, MATH, MEMBAR, MIO, MISC, NO_INSTRUCTION, NOT_SELECTED,
 SELECTED, SHORT, SLEEPING, TEX, WAIT) = range(len(STALL_REASONS))  # fmt: skip
CLEAR = -1


@njit(cache=True, forceinline=True)
def settle(warp, stalls, cycle):
    """Account for all cycles before `cycle`."""
    known = min(warp.ready, cycle)
    if known > warp.mark:
        stalls[warp.current, warp.state] += known - warp.mark
        warp.mark = known
    if cycle > warp.mark:
        stalls[warp.current, NOT_SELECTED] += cycle - warp.mark
        warp.mark = cycle


@njit(cache=True, forceinline=True)
def block(warp, stalls, cycle, until, reason):
    """The warp cannot issue before `until` (INF: before something wakes it)."""
    settle(warp, stalls, cycle)
    warp.state, warp.ready = reason, until


@njit(cache=True, forceinline=True)
def dependency(warp, one):
    """Stall reason of the instruction's unmet waits, CLEAR when there is none.

    A counter is long when its last producer was a local or global access, else short, as ncu splits them. ncu's gmma is
    the wait of an HGMMA for its warpgroup; the wait for HGMMAs to end counts as barrier (samples per instruction show it).
    """
    waiting = warp.scoreboard & one.wait_bits
    if waiting:
        return LONG if waiting & warp.long else SHORT
    if warp.deferred and one.blocks:
        return BARRIER
    if one.kind == DEPBAR and (warp.scoreboard >> one.shift) & COUNTER_MASK > one.count:
        return LONG
    if one.kind == GMMA_WAIT and warp.gmma_pending > one.count:
        return BARRIER
    if one.kind == HGMMA and warp.gathering:
        return GMMA
    return CLEAR


@njit(cache=True)
def reconsider(warp, sub, sm, code, stalls, cycle):
    """Something a sleeping warp may wait for has changed: wake it, or name what it still waits for."""
    if warp.ready != INF or warp.held:
        return
    reason = dependency(warp, code[warp.current])
    if reason != CLEAR:
        if reason != warp.state:
            block(warp, stalls, cycle, INF, reason)
        return
    wake(warp, sub, sm, stalls, cycle)


@njit(cache=True, forceinline=True)
def wake(warp, sub, sm, stalls, cycle):
    """A sleeping warp has what it waited for."""
    settle(warp, stalls, cycle)
    warp.ready = max(cycle, warp.stall_end)
    sub.awake |= warp.bit
    sub.wake = min(sub.wake, warp.ready)
    sm.wake = min(sm.wake, warp.ready)


@njit(cache=True)
def check_exit(warp, events, w, cycle):
    """A warp past its last instruction leaves once nothing of its own is in flight; stores must only have left the SM.

    Our microbenchmark launch/block_replacement_latency: a block that ends with a store has its successor 60 cycles
    later than one without.
    """
    if warp.position == warp.end and not (warp.outstanding or warp.scoreboard or warp.gmma_pending or warp.leaving):
        warp.leaving = 1
        schedule(events, max(cycle, warp.mark), RETIRE, w, 0)


@njit(cache=True)
def release(warp, sub, sm, code, stalls, events, w, cycle, add):
    """A dependency counter goes down."""
    warp.scoreboard -= add
    check_exit(warp, events, w, cycle)
    reconsider(warp, sub, sm, code, stalls, cycle)
