"""BAR: the warps of a block wait for one another. Exited warps count as arrived (PTX ISA, bar.sync)
where a barrier names no number of threads.

BAR.SYNC.DEFER_BLOCKING lets its warp go on to the next instruction that is not plain arithmetic: ncu samples the wait
there (at loads, stores, MUFU and branches), never at the arithmetic between.
"""

from numba import njit

from ssmsim.architecture import LANES, SUBCORES
from ssmsim.engines.embedded.sm.memory import lsu_drain
from ssmsim.engines.embedded.sm.scoreboard import reconsider
from ssmsim.engines.embedded.state.records import INF, MAX_BARRIERS, NONE


@njit(cache=True)
def expected(block, threads):
    """Warps that a barrier waits for: those of the block that have not exited, or as many as it names."""
    return block.live if threads == 0 else (threads + LANES - 1) // LANES


@njit(cache=True)
def arrive(m, cores, block, one, number, threads, w, cycle):
    """One warp arrives; when it is the last, all that wait go on after the barrier's latency.

    The SM's barrier unit takes one warp per barrier_interval: our microbenchmark sm/barrier_latency, 2 cycles more per
    warp. With the last the barrier stops the unit for shared memory (lsu_drain.py).
    """
    sm = cores.sms[block.sm]
    sm.barrier_free = max(sm.barrier_free, cycle) + m.sm.barrier_interval_cycles
    block.arrived[number] += 1
    block.expected[number] = threads
    if one.defers:
        cores.warps[w].deferred = number + 1
    elif not one.is_store:
        cores.warps[w].held = number + 1
    if block.arrived[number] >= expected(block, threads):
        free = max(sm.lsu_free, cycle)
        sm.lsu_free = free + lsu_drain.stop(m, sm, free)
        open_barrier(m, cores, block, number, cycle, sm.barrier_free + m.sm.barrier_latency_cycles)


@njit(cache=True)
def open_barrier(m, cores, block, number, cycle, when):
    block.arrived[number] = 0
    for i in range(m.warps_per_block):
        w = block.warps[i]
        if w == NONE:
            continue
        warp = cores.warps[w]
        if warp.held == number + 1 or warp.deferred == number + 1:
            if warp.held or (warp.ready == INF and cores.code[warp.current].blocks):
                warp.stall_end = max(warp.stall_end, when)
            warp.held, warp.deferred, warp.opened = 0, 0, when
            sub = cores.subs[w // m.sm.warp_slots_per_subcore]
            reconsider(
                warp, sub, cores.sms[w // (SUBCORES * m.sm.warp_slots_per_subcore)], cores.code, cores.stalls, cycle
            )


@njit(cache=True)
def leave(m, cores, block, cycle):
    """A warp has exited: barriers that waited for it alone open."""
    for number in range(MAX_BARRIERS):
        if block.arrived[number] and block.arrived[number] >= expected(block, block.expected[number]):
            open_barrier(m, cores, block, number, cycle, cycle + m.sm.barrier_latency_cycles)
