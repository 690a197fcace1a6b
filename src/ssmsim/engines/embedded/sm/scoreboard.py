"""Scoreboard: dependency counters of a warp, what its next instruction still waits for, and when it may go on.

The assembler names six counters per warp; an instruction waits until those of its mask are zero (arXiv 2503.20481,
section 4). DEPBAR waits for one to fall to a count, LDGSTS groups and HGMMAs have counts of their own.
"""

from numba import njit

from ssmsim.architecture import SUBCORES
from ssmsim.engines.embedded.event_queue import RETIRE, schedule
from ssmsim.engines.embedded.sm.instruction import CLUSTER_WAIT, DEPBAR, GMMA_WAIT
from ssmsim.engines.embedded.sm.instruction import GMMA as HGMMA
from ssmsim.engines.embedded.sm.stalls import BARRIER, GMMA, LONG, SHORT, block, settle
from ssmsim.engines.embedded.state.records import COUNTER_MASK, INF

CLEAR = -1


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
    if one.kind == CLUSTER_WAIT and warp.meeting:
        return BARRIER
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
def release(m, chip, cores, w, cycle, add):
    """A dependency counter goes down."""
    warp, sub, sm = (
        cores.warps[w],
        cores.subs[w // m.sm.warp_slots_per_subcore],
        cores.sms[w // (SUBCORES * m.sm.warp_slots_per_subcore)],
    )
    warp.scoreboard -= add
    check_exit(warp, chip.events, w, cycle)
    reconsider(warp, sub, sm, cores.code, cores.stalls, cycle)
