"""The cycle loop. Each cycle: what is due happens in order of sending, then every sub-core with a ready warp issues.

run() never raises and never calls Python. It returns a status and can be entered again: simulate.py reacts.
Cycles in which nothing can happen are skipped.
"""

from numba import njit

from ssmsim.architecture import SUBCORES
from ssmsim.engines.embedded import block_scheduler, cluster_scheduler
from ssmsim.engines.embedded.event_queue import (
    ARRIVE,
    BACK,
    BLOCK_FREE,
    BULK_DONE,
    CHANNEL_SERVE,
    CLUSTER_OPEN,
    COPIES_ARRIVED,
    COPY_DONE,
    DRAM_DONE,
    FENCE,
    FILL,
    GIVEN_BACK,
    GMMA_DONE,
    LAUNCH,
    PREFETCH,
    RELEASE,
    REMOTE_ARRIVE,
    REPLY,
    RETIRE,
    SERVE,
    SIGNAL,
    STORED,
    SUCCEED,
    TMA,
    WHEEL,
    next_due,
    take,
)
from ssmsim.engines.embedded.host.prefetch import ahead
from ssmsim.engines.embedded.memory import dram, noc
from ssmsim.engines.embedded.memory.l2 import slice_cache, writes
from ssmsim.engines.embedded.sm import cluster_barrier, issue, scoreboard
from ssmsim.engines.embedded.sm.memory import (
    fence,
    l1_fill,
    ldgsts,
    lsu,
    mbarrier,
    performed,
    prefetcher,
    tma,
    writeback,
)
from ssmsim.engines.embedded.state.parts import chip_of, cores_of, grid_of, icache_of, machine_of, memory_of
from ssmsim.engines.embedded.state.records import INF

FINISHED, NEED_BLOCKS, DEADLOCK, NO_ROOM, PAUSED, NEED_VALUES = range(6)
PATIENCE = 4_000_000  # cycles without an issued instruction that count as a deadlock


@njit(cache=True)
def run(table, pause):
    """Simulate until all blocks are done or Python is needed; the status. table: State.table()."""
    m = machine_of(table).machine
    return cycles(m, chip_of(table), cores_of(table), icache_of(table), memory_of(table), grid_of(table), pause)


@njit(cache=True, inline="always")
def cycles(m, chip, cores, icache, memory, grid, pause):
    """The loop itself; see the head of this file."""
    run, events = chip.run, chip.events
    while run.cycle < pause:
        cycle = run.cycle
        if cycle >= run.answer_by:
            return NEED_VALUES
        node = take(events, cycle)
        while node:
            kind, a, b = events[node].kind, events[node].a, events[node].b
            ahead(m, events, cycle, cores, memory)
            if kind == RETIRE:
                block_scheduler.retire(m, chip, cores, grid, a, cycle)
            elif kind == BLOCK_FREE:
                block_scheduler.free(m, run, cores, events, a, cycle)
            elif kind == LAUNCH:
                if not launch(m, chip, cores, grid, cycle):
                    return NEED_BLOCKS
            elif kind == SUCCEED:
                if not block_scheduler.succeed(m, chip, cores, grid, a, b, cycle):
                    return NEED_BLOCKS
            else:
                happens(m, chip, cores, memory, kind, a, b, cycle)
            node = take(events, cycle)
        again = issue_slots(m, chip, cores, icache, memory, cycle)
        if events[WHEEL].a or run.fault:
            return NO_ROOM
        if events[WHEEL].b:
            again = next_due(events, cycle, min(again, cycle + WHEEL))
        again = min(again, run.answer_by)
        if again == INF or cycle - run.progress_at > PATIENCE:
            return FINISHED if run.blocks_done == m.block_total else DEADLOCK
        run.cycle = again
    return PAUSED


@njit(cache=True)
def launch(m, chip, cores, grid, cycle):
    """Start a block, or the blocks of a cluster. False when one is needed that has not been loaded yet."""
    if m.cluster_size > 1:
        return cluster_scheduler.launch(m, chip, cores, grid, cycle)
    return block_scheduler.launch(m, chip, cores, grid, cycle)


@njit(cache=True, inline="always")
def happens(m, chip, cores, memory, kind, a, b, cycle):
    """One event of an SM or of the memory system."""
    if kind == RELEASE:
        scoreboard.release(m, chip, cores, a, cycle, b)
    elif kind == SERVE:
        lsu.serve(m, chip, cores, memory, a, cycle)
    elif kind == ARRIVE:
        slice_cache.arrive(m, chip, cores, memory, a, b, cycle)
    elif kind == REPLY:
        noc.deliver(m, chip.counts, cores.sms, memory.fills[a], a, chip.events, cycle)
    elif kind == FILL:
        l1_fill.fill(m, chip, cores, memory, a, cycle)
    elif kind == CHANNEL_SERVE:
        dram.serve(m, chip, memory, a, cycle)
    elif kind == DRAM_DONE:
        slice_cache.filled(m, chip, cores, memory, a, b, cycle)
    elif kind == COPY_DONE:
        ldgsts.copied(cores.warps[a], b, chip.events, a, cycle)
    elif kind == GMMA_DONE:
        cores.warps[a].gmma_pending -= 1
        scoreboard.release(m, chip, cores, a, cycle, 0)
    elif kind == STORED:
        writes.stored(m, cores.sms, chip.events, memory.fills, a, b, cycle)
        chip.run.finish = max(chip.run.finish, cycle)  # a kernel ends when its last store is in the L2
    elif kind == BACK:
        writeback.join(cores.sms[a], cores.requests, chip.events, b, cycle)
    elif kind == FENCE:
        fence.step(m, chip, cores, memory, a, cycle)
    elif kind == PREFETCH:
        prefetcher.serve(m, chip, cores, memory, a, cycle)
    else:
        asynchronous(m, chip, cores, memory, kind, a, b, cycle)


@njit(cache=True)
def asynchronous(m, chip, cores, memory, kind, a, b, cycle):
    """One event of bulk copies, mbarriers of other blocks, clusters, or registers that are free."""
    if kind == TMA:
        tma.serve(m, chip, cores, memory, a, cycle)
    elif kind == BULK_DONE:
        tma.done(m, chip, cores, a, cycle)
    elif kind == REMOTE_ARRIVE:
        mbarrier.comes(m, chip, cores, a, b, cycle)
    elif kind == COPIES_ARRIVED:
        mbarrier.copies_arrived(m, chip, cores, a, cycle)
    elif kind == CLUSTER_OPEN:
        cluster_barrier.open_barrier(m, cores, a, cycle)
    elif kind == SIGNAL and m.execution_driven:
        performed.note(m, chip.run, cores.performed, a, cycle)
    elif kind == SIGNAL:
        lsu.written(m, cores, a, cycle)
    elif kind == GIVEN_BACK:
        block_scheduler.given_back(chip.run, cores.subs[a], chip.events, b, cycle)


@njit(cache=True, inline="always")
def issue_slots(m, chip, cores, icache, memory, cycle):
    """Every sub-core that has a warp to issue does; the first cycle after this in which one may."""
    sms, subs, again = cores.sms, cores.subs, INF
    for s in range(m.sms):
        sm = sms[s]
        if sm.wake <= cycle:
            sm.wake = INF
            for i in range(
                SUBCORES * s, SUBCORES * s + m.sm.subcores
            ):  # not SUBCORES: the compiler would repeat all of subcore() as often
                if subs[i].wake <= cycle:
                    for _ in range(m.sm.issue_per_subcore_per_cycle):
                        issue.subcore(m, chip, cores, icache, memory, s, i, cycle)
            for i in range(SUBCORES * s, SUBCORES * s + SUBCORES):
                sm.wake = min(sm.wake, subs[i].wake)
        again = min(again, sm.wake)
    return again
