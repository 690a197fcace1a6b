"""Fences of GPU scope: what the warps of an SM have stored is in the L2 before the warp that fences goes on.

A fence waits until as many stores are acknowledged as the SM's warps had issued by then, whoever issued them (that they
come in order is assumed), and asks all slices, which answer behind the stores that they have taken. When the SM has
accessed memory since its last fence there is one more trip. Our microbenchmark fence, beside: store.all.2.2000.3050 takes
499 cycles for the first fence and 264 for the others, though the warp that fences stores nothing; store.all.9.100.12000,
beside a stream of stores, 3,362.
"""

from numba import njit

from ssmsim.engines.embedded.records import FP, INF, NONE
from ssmsim.engines.embedded.stalls import reconsider


@njit(cache=True)
def begin(m, counts, sm, warp, slices, cycle):
    """Cycle at which the fence is over, when no store has to be awaited first (`awaits`).

    Only a fence that is over spares a later one the second trip (sc_load.4.1 takes as long as sc_load.1.1).
    """
    warp.fence, warp.fence_began = sm.stores_issued, cycle
    ask_all_slices(m, counts, sm, cycle)
    forget(sm, cycle)
    over = cycle + m.gpu_fence * (1 + (sm.last_access > sm.clean)) + queued(m, slices, cycle)
    place = 0 if sm.fence_over[0] <= cycle else 1
    sm.fence_began[place], sm.fence_over[place] = cycle, INF if awaits(sm, warp) else over
    return over


@njit(cache=True)
def forget(sm, cycle):
    """What came before a fence that is over needs no more. Of those under way the first and the last are remembered."""
    for i in range(2):
        if sm.fence_over[i] <= cycle:
            sm.clean = max(sm.clean, sm.fence_began[i])
    if sm.fence_over[0] <= cycle:
        sm.fence_began[0], sm.fence_over[0] = sm.fence_began[1], sm.fence_over[1]
        sm.fence_over[1] = 0


@njit(cache=True, forceinline=True)
def awaits(sm, warp):
    """Whether stores from before the warp's fence are still on their way."""
    return warp.fence > sm.stores_acknowledged


@njit(cache=True)
def queued(m, slices, cycle):
    """Cycles by which the last slice answers later than an idle one would."""
    last = 0
    for s in range(m.l2_slices):
        last = max(last, slices[s].free_fp)
    return max(0, (last >> FP) - cycle - m.request_latency)


@njit(cache=True)
def ask_all_slices(m, counts, sm, cycle):
    """What ncu counts of the question, which passes through the near slice; fences of an SM that meet share it.

    121 to 138 L2 sectors, all hits, per lone fence of chunk_scan_chunk_state_bwd_dx beyond loads, stores and atomics, 45
    where four warps fence at once (chunk_state_bwd_db); with 94 slices 141 are expected.
    """
    if cycle >= sm.fenced_until:
        sm.fenced_until = cycle + m.gpu_fence
        asked = m.l2_slices + m.l2_slices // 2
        counts.l2_sectors += asked
        counts.l2_hits += asked
        counts.l2_fences += asked


@njit(cache=True)
def acknowledge(m, sms, subs, warps, slices, code, stalls, fill, cycle):
    """A store has reached its first slice, near its SM (sc_store): a fence that waits for the last such may begin."""
    if fill.request == NONE:
        return
    fill.request = NONE
    sm = sms[fill.sm]
    sm.stores_acknowledged += 1
    if not sm.fences_waiting:
        return
    first = 4 * m.slots * fill.sm
    for w in range(first, first + 4 * m.slots):
        warp = warps[w]
        if warp.held == NONE and not awaits(sm, warp):
            sm.fences_waiting -= 1
            warp.held = 0
            warp.stall_end = max(warp.stall_end, cycle + m.reply_latency + m.gpu_fence + queued(m, slices, cycle))
            for i in range(2):
                if sm.fence_began[i] == warp.fence_began:
                    sm.fence_over[i] = warp.stall_end
            reconsider(warp, subs[w // m.slots], sm, code, stalls, cycle)
