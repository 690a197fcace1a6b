"""Fences of GPU scope: what the warps of an SM have stored is in the L2 before the warp that fences goes on.

A fence takes two trips. The first waits until as many stores are acknowledged as the SM's warps had issued when it left,
whoever issued them (that they come in order is assumed); an SM makes one at a time. Fences that come before it leaves go
together, later ones wait for the next. It is short when the SM has accessed nothing since the last one left, and left
out when that one's fence is over. The second asks all slices, which answer behind the stores that they have taken; such
trips go side by side. Our microbenchmark sm_memory/fence_latency, together: the second of two fences up to 30 cycles
apart ends with the first (503 and 517 cycles), of two 40 to 200 apart at 559, with a store of its own at 705; its case
beside.store.all.2.2000.3050, 499 for the first fence and 264 for the others, though the warp that fences stores
nothing.
"""

from numba import njit

from ssmsim.architecture import SUBCORES
from ssmsim.engines.embedded.event_queue import FENCE, schedule
from ssmsim.engines.embedded.sm.scoreboard import reconsider
from ssmsim.engines.embedded.state.records import FP, NONE

IDLE, LEAVING, AWAY = range(3)  # SM.fence_state: the first trip


@njit(cache=True)
def begin(m, counts, sm, warp, slices, events, cycle):
    """Cycle at which the fence is over; 0 when the warp waits for a first trip, whose end wakes it (`step`)."""
    ask_all_slices(m, counts, sm, cycle)
    forget(sm, cycle)
    if sm.last_access <= sm.clean:
        return cycle + m.mio.gpu_fence_latency_cycles + queued(m, slices, cycle)
    sm.fences_waiting += 1
    if sm.fence_state == AWAY:
        warp.fence = sm.fence_group + 1
        if sm.fence_next == 0:
            sm.fence_next = cycle + m.mio.gpu_fence_lead_cycles
        return 0
    if sm.fence_state == IDLE:
        leave(sm, events, cycle + m.mio.gpu_fence_lead_cycles)
    warp.fence = sm.fence_group
    return 0


@njit(cache=True)
def leave(sm, events, when):
    """Another first trip leaves at `when`; fences until then go with it."""
    sm.fence_state, sm.fence_next = LEAVING, 0
    sm.fence_group += 1
    schedule(events, when, FENCE, sm.number, 0)


@njit(cache=True)
def step(m, chip, cores, memory, s, cycle):
    """The SM's first trip leaves, or is over if all that it waits for is there."""
    sm = cores.sms[s]
    if sm.fence_state == LEAVING:
        trip = m.mio.gpu_fence_flushed_cycles
        if sm.last_access > sm.fence_sent:
            trip = (
                m.mio.gpu_fence_far_cycles if sm.last_far > sm.fence_sent else m.mio.gpu_fence_near_cycles
            ) - m.mio.gpu_fence_lead_cycles
        sm.fence_state, sm.fence_sent, sm.fence_target = AWAY, cycle, sm.stores_issued
        sm.fence_until = cycle + trip
        schedule(chip.events, sm.fence_until, FENCE, s, 0)
        return
    if sm.fence_state == IDLE or cycle < sm.fence_until or sm.stores_acknowledged < sm.fence_target:
        return
    over = cycle + m.mio.gpu_fence_latency_cycles + queued(m, memory.slices, cycle)
    place = 0 if sm.fence_over[0] <= cycle else 1
    sm.fence_began[place], sm.fence_over[place] = sm.fence_sent, over
    sm.fence_state = IDLE
    for w in range(SUBCORES * m.sm.warp_slots_per_subcore * s, SUBCORES * m.sm.warp_slots_per_subcore * (s + 1)):
        warp = cores.warps[w]
        if warp.held == NONE and warp.fence == sm.fence_group:
            sm.fences_waiting -= 1
            warp.held = 0
            warp.stall_end = max(warp.stall_end, over)
            reconsider(warp, cores.subs[w // m.sm.warp_slots_per_subcore], sm, cores.code, cores.stalls, cycle)
    if sm.fence_next:
        leave(sm, chip.events, max(cycle, sm.fence_next))


@njit(cache=True)
def forget(sm, cycle):
    """What came before a fence that is over needs no more. Of those under way the first and the last are remembered."""
    for i in range(2):
        if sm.fence_over[i] <= cycle:
            sm.clean = max(sm.clean, sm.fence_began[i])
    if sm.fence_over[0] <= cycle:
        sm.fence_began[0], sm.fence_over[0] = sm.fence_began[1], sm.fence_over[1]
        sm.fence_over[1] = 0


@njit(cache=True)
def queued(m, slices, cycle):
    """Cycles by which the last slice answers later than an idle one would: behind all stores that it has taken."""
    last = 0
    for s in range(m.l2.slices):
        last = max(last, slices[s].free_fp, slices[s].write_free_fp, slices[s].add_free_fp)
    return max(0, (last >> FP) - cycle - m.request_latency)


@njit(cache=True)
def ask_all_slices(m, counts, sm, cycle):
    """What ncu counts of the question, which passes through the near slice; fences of an SM that meet share it.

    121 to 138 L2 sectors, all hits, per lone fence of chunk_scan_chunk_state_bwd_dx beyond loads, stores and atomics, 45
    where four warps fence at once (chunk_state_bwd_db); with 94 slices 141 are expected.
    """
    if cycle >= sm.fenced_until:
        sm.fenced_until = cycle + m.mio.gpu_fence_latency_cycles
        asked = m.l2.slices + m.l2.slices // 2
        counts.l2_sectors += asked
        counts.l2_hits += asked
        counts.l2_fences += asked


@njit(cache=True)
def acknowledge(m, sms, events, fill, cycle):
    """A store is in the slice that owns its line: the trip that waits for the last such may end.

    It has to go on to the other partition where that holds a copy: microbenchmark sm_memory/fence_latency,
    parts.16.16.132, takes 145 cycles more than when L2 holds other lines (its case .cold).
    """
    if fill.request == NONE:
        return
    fill.request = NONE
    sm = sms[fill.sm]
    sm.stores_acknowledged += 1
    back = m.mio.gpu_fence_near_cycles - m.request_latency
    if fill.stale:
        back = m.mio.gpu_fence_far_cycles - m.request_latency
    elif fill.slice * m.l2.partitions // m.l2.slices != sm.side:
        back = m.mio.gpu_fence_far_cycles - m.request_latency - m.far_latency // 2
    if sm.fence_state == AWAY and sm.stores_acknowledged == sm.fence_target:
        sm.fence_until = max(sm.fence_until, cycle + max(0, back))
        schedule(events, sm.fence_until, FENCE, fill.sm, 0)
