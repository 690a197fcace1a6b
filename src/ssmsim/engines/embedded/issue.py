"""Issue: one instruction per sub-core and cycle, by the control bits that the assembler wrote.

The control fields (stall count, yield, six dependency counters, wait mask) are as "Analyzing modern NVIDIA GPU cores"
(arXiv 2503.20481, section 4) describes them. Registers are not tracked: the assembler's counts and counters say all there
is to wait for. Which warp goes first is what our microbenchmarks sm/issue_slot_arbitration and sm/block_issue_priority
show; `goes_before` says it.
"""

from numba import njit

from ssmsim.engines.embedded import barriers, fences, fetch, lsu, pipes, tensor
from ssmsim.engines.embedded import stalls as reason
from ssmsim.engines.embedded.bits import lowest
from ssmsim.engines.embedded.borrow import prefetch
from ssmsim.engines.embedded.events import RELEASE, schedule
from ssmsim.engines.embedded.records import (
    BARRIER,
    COUNTER_MASK,
    EXITED,
    FP,
    GMMA,
    GMMA_ARRIVE,
    INDEX,
    INF,
    MEMBAR,
    MEMORY,
    NONE,
    OFF_BIT,
    QUEUED,
)

NEXT_LINE = 16  # instructions of a stream in a line of the host's cache


@njit(cache=True, forceinline=True)
def hazard(m, sm, sub, warp, one, cycle):
    """(first cycle at which the hardware takes the instruction, stall reason until then)."""
    if one.kind == MEMORY:
        why = lsu.full(m, sub, warp, one)
        if why:
            return INF, why
    elif one.kind == GMMA:
        until = tensor.room_at(m, sm, one)
        if until > cycle:
            return until, reason.GMMA
    elif one.kind == QUEUED:
        if sub.special_room > cycle:
            return sub.special_room, reason.MIO
    else:
        until = pipes.free_at(sub, one, cycle)
        if until > cycle:
            return until, reason.MATH
    if sub.hold_fp >> FP > cycle:
        return sub.hold_fp >> FP, reason.DISPATCH
    return cycle, 0


@njit(cache=True, forceinline=True)
def choose(m, sm, sub, warps, code, stalls, first, cycle):
    """The warp to issue, NONE when none can; and the cycle at which to look again, at the others at least."""
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
        until, why = hazard(m, sm, sub, warp, code[warp.current], cycle)
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
        if goes_before(warp, warps[best], w == sub.greedy, best == sub.greedy, cycle):
            best = w
    return best, again


@njit(cache=True, forceinline=True)
def goes_before(warp, other, favourite, others_favourite, cycle):
    """Whether, of two warps that could issue, `warp` does. favourite: it issued last and did not yield.

    The favourite keeps the slot while it is ready at once. In a block, those whose last instruction did not yield go before
    those whose did, however long these wait: two warps of NOPs with stall count 2 hold a third that yields up until they end,
    whether a stall count or a dependency counter woke it; without the yield the three share (our microbenchmark
    sm/issue_slot_arbitration). Else it is who has waited longest, but not for a pipe: then the older block's warps go
    first, one block after the other where a warp could fill the pipe (sm/block_issue_priority: alu, heavy; where issue
    slots are short all but the youngest share, both.8). Who yields gives way to older blocks: of five that multiply in
    a chain the fifth waits until the four that fill the slots are through (sm/tile_pipeline_throughput). A place's
    block counts from its launch (sm/block_issue_priority: reused). Within a block it is who took a branch longest ago:
    of warps that go round a loop one after the other goes through its run of such instructions (sm/pipe_arbitration,
    sm/dependent_chain_throughput), and they end together (sm/block_issue_priority).
    """
    waited, others = cycle - warp.ready, cycle - other.ready
    if favourite and waited == 0 and not goes_before_favourite(other, warp):
        return True
    if others_favourite and others == 0 and not goes_before_favourite(warp, other):
        return False
    if warp.yielded or other.yielded:
        if warp.turn != other.turn:
            return warp.turn < other.turn
        if warp.yielded != other.yielded:
            return other.yielded != 0
    if waited != others:
        return waited > others
    if warp.turn != other.turn:
        return warp.turn < other.turn
    if warp.branched != other.branched:
        return warp.branched < other.branched
    return warp.issued < other.issued


@njit(cache=True, forceinline=True)
def goes_before_favourite(warp, favourite):
    """An older block's warp that waits for a place at the special-function unit (sm/block_issue_priority: special)."""
    return warp.turn < favourite.turn and warp.state == reason.MIO


@njit(cache=True, forceinline=True)
def subcore(m, gpu, counts, sms, subs, warps, blocks, code, stream, events, requests, accesses, l0, l1i, gpci, l2i,
            slices, channels, imc, idc, stalls, s, index, cycle):  # fmt: skip
    """One cycle of one sub-core."""
    sm, sub = sms[s], subs[index]
    first = index * m.slots
    w, sub.wake = choose(m, sm, sub, warps, code, stalls, first, cycle)
    if w == NONE:
        return
    warp = warps[w]
    one = code[warp.current]
    if warp.line == NONE:  # first instruction of the warp
        warp.line = one.line
        ready = fetch.fetch(m, counts, sm, s, l0, l1i, gpci, l2i, slices, channels, index, one.line, cycle)
        if ready > cycle:
            reason.block(warp, stalls, cycle, ready, reason.NO_INSTRUCTION)
            sub.wake = cycle + 1
            return
    reason.settle(warp, stalls, cycle)
    there = pipes.dispatch(m, counts, sm, sub, warp, one, cycle)
    execute(m, gpu, counts, sms, subs, warps, blocks, code, events, requests, accesses, idc, stalls, s, index, w, there)
    counts.issued += 1
    sub.issued += 1
    gpu.progress_at = cycle
    sub.greedy = NONE if one.yields else w
    warp.yielded, warp.issued = one.yields, cycle
    if advance(m, counts, sm, warp, code, stream, events, l0, l1i, gpci, l2i, slices, channels, imc, stalls, s, index, one, there,
               there - cycle):  # fmt: skip
        reason.check_exit(warp, events, w, there + 1)
    sub.wake = min(sub.wake, warp.ready)


@njit(cache=True, forceinline=True)
def execute(
    m, gpu, counts, sms, subs, warps, blocks, code, events, requests, accesses, idc, stalls, s, index, w, cycle
):
    """Send the warp's current instruction to its unit."""
    sm, sub, warp = sms[s], subs[index], warps[w]
    one = code[warp.current]
    kind = one.kind
    if kind == MEMORY:
        lsu.push(m, gpu, sm, sub, s, index, warp, w, code, one, events, requests, accesses, cycle)
        return
    if kind == GMMA:
        tensor.issue(m, counts, sm, subs, warps, blocks[warp.block], events, one, warp, w, cycle)
        return
    begins = cycle
    if kind == QUEUED:
        begins = pipes.special(m, counts, sm, sub, cycle, one.pipe)
    if one.indexed != NONE:
        begins = fetch.indexed(m, counts, idc, s, one.indexed, cycle)
    if kind == GMMA_ARRIVE:
        tensor.gather(m, sms, subs, warps, blocks[warp.block], code, stalls, warp, cycle)
    if kind == BARRIER:
        barriers.arrive(m, subs, sms, warps, blocks[warp.block], code, stalls, one, one.count, w, cycle)
    if one.write_add:
        warp.scoreboard += one.write_add
        warp.long &= ~(one.write_add * COUNTER_MASK)
        schedule(events, begins + max(1, one.latency), RELEASE, w, one.write_add)
    if one.read_add:
        warp.scoreboard += one.read_add
        read = begins + max(1, min(one.latency, m.read_release + m.subcore_interval * one.sources))
        schedule(events, pipes.special_read(m, sub, one) if kind == QUEUED else read, RELEASE, w, one.read_add)


@njit(cache=True, forceinline=True)
def advance(m, counts, sm, warp, code, stream, events, l0, l1i, gpci, l2i, slices, channels, imc, stalls, s, index, one, cycle,
            late):  # fmt: skip
    """Move the warp to its next instruction and find out what it waits for. True when it has executed its last.

    late: cycles that the one before stood in the dispatch stage; ncu counts them among those that the next one waits.
    """
    before = warp.current
    stalls[before, reason.SELECTED] += 1
    warp.position += 1
    if warp.position == warp.end:
        stalls[before, reason.DISPATCH] += late
        warp.ready, warp.mark, warp.state, warp.held = INF, cycle + 1, reason.DRAIN, EXITED
        return True
    warp.current, warp.off = stream[warp.position] & INDEX, stream[warp.position] >> OFF_BIT
    prefetch(stream, warp.position + NEXT_LINE)
    following = code[warp.current]
    if one.stall == 1:  # the next may enter the latch behind it
        cycle, late = cycle - late, 0
    ready = cycle + one.stall
    stalls[warp.current, reason.WAIT] += one.stall - 1 + late
    warp.mark, warp.state = ready, reason.WAIT
    if warp.stall_end > ready:  # a barrier that this warp was the last to reach
        ready, warp.state = warp.stall_end, reason.BARRIER
    if following.blocks and warp.opened > ready:
        ready, warp.state = warp.opened, reason.BARRIER
    if warp.current != before + 1 and cycle + m.branch_latency > ready:
        ready = cycle + m.branch_latency
        warp.state, warp.branched = reason.BRANCHING, ready
    if one.joins and cycle + m.join_latency > ready:
        ready, warp.state = cycle + m.join_latency, reason.BRANCHING
    fenced = 0
    if one.kind == MEMBAR and one.count:
        fenced = fences.begin(m, counts, sm, s, warp, slices, events, cycle)
        ready, warp.state = max(ready, fenced), reason.MEMBAR
    if one.asks != NONE:
        fetch.fetch(m, counts, sm, s, l0, l1i, gpci, l2i, slices, channels, index, one.asks, cycle)
    if following.line != warp.line:
        warp.line = following.line
        there = fetch.fetch(m, counts, sm, s, l0, l1i, gpci, l2i, slices, channels, index, following.line, cycle)
        if there > ready:
            ready, warp.state = there, reason.NO_INSTRUCTION
            if not warp.held:  # what else it waits for is not known before the instruction is there
                stalls[warp.current, reason.NO_INSTRUCTION] += there - warp.mark
                warp.mark = there
    if following.constant >= 0:
        there = fetch.constant(m, counts, imc, s, following.constant, ready)
        if there > ready:
            stalls[warp.current, warp.state] += ready - warp.mark
            warp.mark, warp.state, ready = ready, reason.IMC, there
    warp.ready = warp.stall_end = ready
    if warp.held:
        reason.block(warp, stalls, warp.mark, INF, reason.BARRIER)
    elif one.kind == MEMBAR and one.count and fenced == 0:
        warp.held = NONE
        reason.block(warp, stalls, warp.mark, INF, reason.MEMBAR)
    else:
        why = reason.dependency(warp, following)
        if why != reason.CLEAR:
            reason.block(warp, stalls, warp.mark, INF, why)
    return False
