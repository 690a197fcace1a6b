"""Issue: one instruction per sub-core and cycle, by the control bits that the assembler wrote.

The control fields (stall count, yield, six dependency counters, wait mask) are as "Analyzing modern NVIDIA GPU cores"
(arXiv 2503.20481, section 4) describes them. Registers are not tracked: the assembler's counts and counters say all there
is to wait for. Which warp goes first is a policy that the configuration names (schedulers/).
"""

from numba import njit

from ssmsim.architecture import SUBCORES
from ssmsim.engines.embedded.bitmask import lowest
from ssmsim.engines.embedded.event_queue import RELEASE, schedule
from ssmsim.engines.embedded.feed.coalesce import BARRIER_BITS
from ssmsim.engines.embedded.plugins import chosen
from ssmsim.engines.embedded.sm import (
    barrier,
    cluster_barrier,
    fetch,
    pipes,
    register_file,
    schedulers,
    scoreboard,
    tensor,
)
from ssmsim.engines.embedded.sm import stalls as reason
from ssmsim.engines.embedded.sm.instruction import (
    BARRIER,
    BULK,
    CLUSTER_ARRIVE,
    GMMA,
    GMMA_ARRIVE,
    MEMBAR,
    MEMORY,
    NAMED_BARRIER,
    QUEUED,
    TIME,
)
from ssmsim.engines.embedded.sm.memory import fence, lsu, performed, tma
from ssmsim.engines.embedded.state.pointers import prefetch
from ssmsim.engines.embedded.state.records import COUNTER_MASK, EXITED, FP, GIVE_BIT, INDEX, INF, NONE, OFF_BIT

before = chosen(schedulers, "before", inline=True)
NEXT_LINE = 16  # instructions of a stream in a line of the host's cache


@njit(cache=True, forceinline=True)
def hazard(m, sm, sub, warp, one, accesses, signals, cycle):
    """(first cycle at which the hardware takes the instruction, stall reason until then)."""
    if one.kind == MEMORY:
        why = lsu.full(m, sub, warp, one)
        if why:
            return INF, why
        if lsu.held_back(m, warp, one, accesses, signals):
            return INF, reason.LONG
    elif one.kind == GMMA:
        until = tensor.room_at(m, sm, one)
        if until > cycle:
            return until, reason.GMMA
    elif one.kind == QUEUED:
        if sub.special_room > cycle:
            return sub.special_room, reason.MIO
    else:
        until = pipes.free_at(m, sub, one, cycle)
        if until > cycle:
            return until, reason.MATH
    if sub.hold_fp >> FP > cycle:
        return sub.hold_fp >> FP, reason.DISPATCH
    return cycle, 0


@njit(cache=True, forceinline=True)
def choose(m, sm, sub, cores, first, cycle):
    """The warp to issue, NONE when none can; and the cycle at which to look again, at the others at least."""
    warps, code, stalls = cores.warps, cores.code, cores.stalls
    best, again = NONE, INF
    awake = sub.awake
    while awake:
        w = first + lowest(awake)
        awake &= awake - 1
        warp = warps[w]
        if warp.ready > cycle:
            again = min(again, warp.ready)
            if warp.ready == INF:
                sub.awake ^= warp.bit
            continue
        until, why = hazard(m, sm, sub, warp, code[warp.current], cores.accesses, cores.signals, cycle)
        if until > cycle:
            reason.block(warp, stalls, cycle, until, why)
            again = min(again, until)
            if until == INF:
                sub.refused |= warp.bit
                if why == reason.MIO:  # an older block's warp has taken its place
                    sub.given -= warp.given
                    warp.given = 0
            continue
        if best == NONE:
            best = w
            continue
        again = cycle + 1
        if before(m.warp_scheduler, sub, w, warp, best, warps[best], cycle):
            best = w
    return best, again


@njit(cache=True, forceinline=True)
def subcore(m, chip, cores, icache, memory, s, index, cycle):
    """One cycle of one sub-core."""
    sm, sub = cores.sms[s], cores.subs[index]
    first = index * m.sm.warp_slots_per_subcore
    w, sub.wake = choose(m, sm, sub, cores, first, cycle)
    if w == NONE:
        return
    warp = cores.warps[w]
    one = cores.code[warp.current]
    if warp.line == NONE:  # first instruction of the warp
        warp.line = one.line
        ready = fetch.fetch(m, chip, icache, memory, sm, index, one.line, cycle)
        if ready > cycle:
            reason.block(warp, cores.stalls, cycle, ready, reason.NO_INSTRUCTION)
            sub.wake = cycle + 1
            return
    reason.settle(warp, cores.stalls, cycle)
    there = pipes.dispatch(m, chip.counts, sm, sub, warp, one, cycle)
    execute(m, chip, cores, icache, w, there)
    chip.counts.issued += 1
    sub.issued += 1
    chip.run.progress_at = cycle
    sub.greedy, sub.last = NONE if one.yields else w, w
    warp.yielded, warp.issued = one.yields, cycle
    if advance(m, chip, cores, icache, memory, w, there, there - cycle):
        scoreboard.check_exit(warp, chip.events, w, there + 1)
    sub.wake = min(sub.wake, warp.ready)


@njit(cache=True, forceinline=True)
def execute(m, chip, cores, icache, w, cycle):
    """Send the warp's current instruction to its unit."""
    sm, sub, warp = (
        cores.sms[w // (SUBCORES * m.sm.warp_slots_per_subcore)],
        cores.subs[w // m.sm.warp_slots_per_subcore],
        cores.warps[w],
    )
    one = cores.code[warp.current]
    kind = one.kind
    if kind == MEMORY:
        lsu.push(m, chip, cores, w, cycle)
        return
    if kind == GMMA:
        tensor.issue(m, chip, cores, w, cycle)
        return
    if kind == BULK:
        tma.push(m, chip, cores, w, cycle)
        return
    if kind == CLUSTER_ARRIVE:
        cluster_barrier.arrive(m, chip, cores, w, cycle)
    begins = cycle
    if kind == QUEUED:
        begins = pipes.special(m, chip.counts, sm, sub, cycle, one.pipe)
    if one.indexed != NONE:
        begins = fetch.indexed(m, chip.counts, icache.idc, sm.number, one.indexed, cycle)
    if kind == GMMA_ARRIVE:
        tensor.gather(m, cores, cores.blocks[warp.block], warp, cycle)
    if kind == BARRIER:
        number, threads = one.count, one.threads
        if one.space == NAMED_BARRIER:
            named = cores.accesses[warp.access].wavefronts
            number, threads = named & (1 << BARRIER_BITS) - 1, named >> BARRIER_BITS
            warp.access += 1
        if not warp.off:  # else the warp passes by
            barrier.arrive(m, cores, cores.blocks[warp.block], one, number, threads, w, cycle)
    if kind == TIME and not warp.off:
        performed.read_time(chip.run, cores.performed, w, cycle)
    if one.write_add:
        warp.scoreboard += one.write_add
        warp.long &= ~(one.write_add * COUNTER_MASK)
        schedule(chip.events, begins + max(1, one.latency), RELEASE, w, one.write_add)
    if one.read_add:
        warp.scoreboard += one.read_add
        read = begins + max(
            1, min(one.latency, m.mio.read_release_cycles + m.mio.subcore_interval_cycles * one.sources)
        )
        schedule(chip.events, pipes.special_read(m, sub, one) if kind == QUEUED else read, RELEASE, w, one.read_add)


@njit(cache=True, forceinline=True)
def constant_operand(m, chip, cores, icache, sm, warp, ready):
    """Cycle at which the constant that the warp's instruction names is there; what is waited for it counts apart."""
    there = fetch.constant(m, chip.counts, icache.imc, sm.number, cores.code[warp.current].constant, ready)
    if there > ready:
        cores.stalls[warp.current].cycles[warp.state] += ready - warp.mark
        warp.mark, warp.state = ready, reason.IMC
    return max(ready, there)


@njit(cache=True, forceinline=True)
def advance(m, chip, cores, icache, memory, w, cycle, late):
    """Move the warp to its next instruction and find out what it waits for. True when it has executed its last.

    late: cycles that the one before stood in the dispatch stage; ncu counts them among those that the next one waits.
    """
    index, warp = w // m.sm.warp_slots_per_subcore, cores.warps[w]
    sm, before, one = cores.sms[index // SUBCORES], warp.current, cores.code[warp.current]
    cores.stalls[before].cycles[reason.SELECTED] += 1
    warp.position += 1
    if warp.position == warp.end:
        cores.stalls[before].cycles[reason.DISPATCH] += late
        warp.ready, warp.mark, warp.state, warp.held = INF, cycle + 1, reason.DRAIN, EXITED
        return True
    word = cores.stream[warp.position]
    warp.current, warp.off = word & INDEX, word >> OFF_BIT
    if word >> GIVE_BIT & 1:
        register_file.give(m, chip, cores, w, cycle)
    prefetch(cores.stream, warp.position + NEXT_LINE)
    following = cores.code[warp.current]
    if one.stall == 1:  # the next may enter the latch behind it
        cycle, late = cycle - late, 0
    ready = cycle + one.stall
    cores.stalls[warp.current].cycles[reason.WAIT] += one.stall - 1 + late
    warp.mark, warp.state = ready, reason.WAIT
    if warp.stall_end > ready:  # a barrier that this warp was the last to reach
        ready, warp.state = warp.stall_end, reason.BARRIER
    if following.blocks and warp.opened > ready:
        ready, warp.state = warp.opened, reason.BARRIER
    if warp.current != before + 1 and cycle + m.sm.branch_latency_cycles > ready:
        ready = cycle + m.sm.branch_latency_cycles
        warp.state, warp.branched = reason.BRANCHING, ready
    if one.joins and cycle + m.sm.reconvergence_latency_cycles > ready:
        ready, warp.state = cycle + m.sm.reconvergence_latency_cycles, reason.BRANCHING
    fenced = 0
    if one.kind == MEMBAR and one.count:
        fenced = fence.begin(m, chip.counts, sm, warp, memory.slices, chip.events, cycle)
        ready, warp.state = max(ready, fenced), reason.MEMBAR
    if one.asks != NONE:
        fetch.fetch(m, chip, icache, memory, sm, index, one.asks, cycle)
    if following.line != warp.line:
        warp.line = following.line
        there = fetch.fetch(m, chip, icache, memory, sm, index, following.line, cycle)
        if there > ready:
            ready, warp.state = there, reason.NO_INSTRUCTION
            if not warp.held:  # what else it waits for is not known before the instruction is there
                cores.stalls[warp.current].cycles[reason.NO_INSTRUCTION] += there - warp.mark
                warp.mark = there
    if following.constant >= 0:
        ready = constant_operand(m, chip, cores, icache, sm, warp, ready)
    warp.ready = warp.stall_end = ready
    if warp.held:
        reason.block(warp, cores.stalls, warp.mark, INF, reason.BARRIER)
    elif one.kind == MEMBAR and one.count and fenced == 0:
        warp.held = NONE
        reason.block(warp, cores.stalls, warp.mark, INF, reason.MEMBAR)
    else:
        why = scoreboard.dependency(warp, following)
        if why != scoreboard.CLEAR:
            reason.block(warp, cores.stalls, warp.mark, INF, why)
    return False
