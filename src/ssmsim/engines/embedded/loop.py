"""The cycle loop. Each cycle: what is due happens in order of sending, then every sub-core with a ready warp issues.

run() never raises and never calls Python. It returns a status and can be entered again: simulate.py reacts.
Cycles in which nothing can happen are skipped.
"""

from numba import njit

from ssmsim.engines.embedded import block_scheduler
from ssmsim.engines.embedded.event_queue import (
    ARRIVE,
    BACK,
    BLOCK_FREE,
    CHANNEL_SERVE,
    COPY_DONE,
    DRAM_DONE,
    FENCE,
    FILL,
    GMMA_DONE,
    LAUNCH,
    RELEASE,
    REPLY,
    RETIRE,
    SERVE,
    STORED,
    WHEEL,
    next_due,
    take,
)
from ssmsim.engines.embedded.host.prefetch import ahead
from ssmsim.engines.embedded.memory import dram, noc
from ssmsim.engines.embedded.memory.l2 import slice_cache, writes
from ssmsim.engines.embedded.sm import issue, scoreboard
from ssmsim.engines.embedded.sm.memory import fence, l1_fill, ldgsts, lsu, writeback
from ssmsim.engines.embedded.state.pointers import bare, unowned
from ssmsim.engines.embedded.state.records import INF

FINISHED, NEED_BLOCKS, DEADLOCK, NO_ROOM, PAUSED = range(5)
PATIENCE = 4_000_000  # cycles without an issued instruction that count as a deadlock


@njit(cache=True)
def run(machine, gpus, counters, sms, subs, warps, blocks, loaded, order, code, stream, accesses, lines, events,
        requests, fills, coalescer, l1_tags, l1_lines, slices, nodes, l2_tags, l2_lines, transactions, channels, l0, l1i,
        gpci, l2i, imc, idc, stalls, pause):  # fmt: skip
    """Simulate until all blocks are done or Python is needed; the status."""
    return cycles(bare(machine), bare(gpus), bare(counters), bare(sms), bare(subs),
                  bare(warps), bare(blocks), unowned(loaded), bare(order), bare(code),
                  bare(stream), bare(accesses), bare(lines), bare(events), bare(requests),
                  bare(fills), bare(coalescer), bare(l1_tags), bare(l1_lines), bare(slices), bare(nodes), bare(l2_tags), bare(l2_lines),
                  bare(transactions), bare(channels), bare(l0), bare(l1i), bare(gpci), bare(l2i),
                  bare(imc), bare(idc), unowned(stalls), pause)  # fmt: skip


@njit(cache=True)
def cycles(machine, gpus, counters, sms, subs, warps, blocks, loaded, order, code, stream, accesses, lines, events,
        requests, fills, coalescer, l1_tags, l1_lines, slices, nodes, l2_tags, l2_lines, transactions, channels, l0, l1i,
        gpci, l2i, imc, idc, stalls, pause):  # fmt: skip
    """The loop itself; see the head of this file."""
    m, gpu, counts = machine[0], gpus[0], counters[0]
    while gpu.cycle < pause:
        cycle = gpu.cycle
        node = take(events, cycle)
        while node:
            kind, a, b = events[node].kind, events[node].a, events[node].b
            ahead(m, events, cycle, warps, requests, fills, transactions, l1_lines, l2_tags, l2_lines)
            if kind == RELEASE:
                scoreboard.release(
                    warps[a], subs[a // m.slots], sms[a // (4 * m.slots)], code, stalls, events, a, cycle, b
                )
            elif kind == SERVE:
                lsu.serve(m, gpu, counts, sms, subs, warps, code, events, requests, accesses, lines, fills,
                          l1_tags, l1_lines, stalls, a, cycle)  # fmt: skip
            elif kind == ARRIVE:
                slice_cache.arrive(m, gpu, counts, sms, subs, warps, slices, nodes, l2_tags, l2_lines, transactions, channels, fills,
                          coalescer, events, code, stalls, a, b, cycle)  # fmt: skip
            elif kind == REPLY:
                noc.deliver(m, counts, sms, fills[a], a, events, cycle)
            elif kind == FILL:
                l1_fill.fill(m, counts, sms, warps, code, events, requests, accesses, fills, l1_lines, a, cycle)
            elif kind == CHANNEL_SERVE:
                dram.serve(m, counts, transactions, channels, slices, events, a, cycle)
            elif kind == DRAM_DONE:
                slice_cache.filled(
                    m, gpu, counts, sms, slices, nodes, l2_lines, transactions, fills, coalescer, events, a, b, cycle
                )
            elif kind == COPY_DONE:
                ldgsts.copied(warps[a], b, events, a, cycle)
            elif kind == GMMA_DONE:
                warps[a].gmma_pending -= 1
                scoreboard.release(
                    warps[a], subs[a // m.slots], sms[a // (4 * m.slots)], code, stalls, events, a, cycle, 0
                )
            elif kind == STORED:
                writes.stored(m, sms, events, fills, a, b, cycle)
                gpu.finish = max(gpu.finish, cycle)  # a kernel ends when its last store is in the L2
            elif kind == BACK:
                writeback.join(sms[a], a, requests, events, b, cycle)
            elif kind == FENCE:
                fence.step(m, sms, subs, warps, slices, code, stalls, events, a, cycle)
            elif kind == RETIRE:
                block_scheduler.retire(m, gpu, counts, sms, subs, warps, blocks, loaded, code, stalls, events, a, cycle)
            elif kind == BLOCK_FREE:
                block_scheduler.free(m, gpu, sms, subs, blocks, events, a, cycle)
            elif kind == LAUNCH:
                if not block_scheduler.launch(
                    m, gpu, counts, sms, subs, warps, blocks, loaded, order, stream, events, cycle
                ):
                    return NEED_BLOCKS
            node = take(events, cycle)
        again = INF
        for s in range(m.sms):
            sm = sms[s]
            if sm.wake <= cycle:
                sm.wake = INF
                for i in range(4 * s, 4 * s + m.subcores):  # not 4: the compiler would repeat all of subcore() as often
                    if subs[i].wake <= cycle:
                        for _ in range(m.issue_width):
                            issue.subcore(m, gpu, counts, sms, subs, warps, blocks, code, stream, events, requests,
                                          accesses, l0, l1i, gpci, l2i, slices, channels, imc, idc, stalls, s, i, cycle)  # fmt: skip
                for i in range(4 * s, 4 * s + 4):
                    sm.wake = min(sm.wake, subs[i].wake)
            again = min(again, sm.wake)
        if events[WHEEL].a or gpu.fault:
            return NO_ROOM
        if events[WHEEL].b:
            again = next_due(events, cycle, min(again, cycle + WHEEL))
        if again == INF or cycle - gpu.progress_at > PATIENCE:
            return FINISHED if gpu.blocks_done == m.block_total else DEADLOCK
        gpu.cycle = again
    return PAUSED
