"""MIO and LSU: queues of memory instructions per sub-core, and the SM's one unit that serves them.

A sub-core hands instructions on (handover.py), the shared unit takes one per shared_interval (arXiv 2503.20481, section
5.4; whose turn it is: turn.py), longer when shared-memory banks conflict or a global access touches several lines. Shared
memory answers after a fixed latency, and with each further wavefront later; global and local accesses go to the L1, and loads
among them pass once more when their data are there (returns.py). Fences of a block pass through like an access, or stop the
unit (stops.py).
"""

from numba import njit

from ssmsim.engines.embedded import answers, copies, handover, l1, operands, places, returns, stops, turn
from ssmsim.engines.embedded.bits import lowest
from ssmsim.engines.embedded.events import RELEASE, schedule
from ssmsim.engines.embedded.records import (
    COPY,
    COPY_GROUPS,
    COUNTER_MASK,
    EXCHANGE,
    FP,
    GLOBAL,
    INF,
    LOCAL,
    NONE,
    SHARED,
)
from ssmsim.engines.embedded.stalls import LG, MIO, WAIT, wake

RETRY = 4  # cycles until an access that found no free miss entry or place tries again: polling, not a hardware value


@njit(cache=True, forceinline=True)
def full(m, sub, warp, one):
    """Stall reason when the queue cannot take this instruction of the warp, else 0.

    A place that a younger block's warp is to have is free for it (our microbenchmark sm/block_issue_priority: store).
    """
    if one.space in (GLOBAL, LOCAL) and sub.lg_count >= m.lg_queue:
        return LG
    kept = sub.given - warp.given
    if kept and warp.turn < sub.given_turn:
        kept -= 1
    return MIO if sub.queue_count + kept >= m.queue else 0


@njit(cache=True, forceinline=True)
def push(m, gpu, sm, sub, s, sub_index, warp, w, code, one, events, requests, accesses, cycle):
    """Queue the warp's current memory instruction; its counters go up now and down when data or operands are there."""
    free = requests[0]
    if free.next == 0:
        gpu.fault = 1
        return
    index = free.next
    request = requests[index]
    free.next = request.next
    request.next, request.warp, request.code, request.left = 0, w, warp.current, 0
    request.access = NONE
    request.ordered, request.there, request.later, request.standing, request.room = 0, 0, 0, 0, 0
    request.space = one.space
    if one.space != EXCHANGE:
        request.access = warp.access
        warp.access += 1
        if one.is_store and one.space == GLOBAL:
            sm.stores_issued += accesses[request.access].lines
    request.arrival = max(cycle + 1, sub.queue_last)
    request.off = warp.off
    sub.queue_last = request.arrival + handover.reading(m, one, request.off)
    if sub.queue_count == 0:
        sub.queue_head = index
    else:
        requests[sub.queue_tail].next = index
    sub.queue_tail = index
    sub.queue_count += 1
    if sub.unread == 0:
        sub.unread = index
        handover.advance(m, sm, sub, requests, code, events, cycle)
    sub.given -= warp.given
    warp.given = 0
    warp.outstanding += 1
    warp.scoreboard += one.write_add + one.read_add
    mask = (one.write_add | one.read_add) * COUNTER_MASK
    warp.long = warp.long | mask if one.write_long else warp.long & ~mask
    if one.closes:
        copies.close(warp, one)
    elif one.space == COPY:
        request.group = warp.copy_group
        warp.copy_left[warp.copy_group % COPY_GROUPS] += 1
        sm.last_access = cycle
    elif one.space in (GLOBAL, LOCAL):
        sub.lg_count += 1
        sm.last_access = cycle
    when = max(request.arrival, turn.free_at(sm, request, one))
    if when < sm.lsu_next:
        turn.come_back(sm, s, events, when)


@njit(cache=True)
def serve(m, gpu, counts, sms, subs, warps, code, events, requests, accesses, lines, fills,
          l1_tags, l1_lines, stalls, s, cycle):  # fmt: skip
    """Serve one instruction and come back for the next."""
    sm = sms[s]
    if sm.lsu_next != cycle:  # it has been here, or comes back
        return
    sm.lsu_next = INF
    i, ahead, when = turn.following(sm, subs, requests, warps, code, 4 * s, cycle)
    index = NONE
    if i != NONE:
        index = subs[i].queue_head if ahead == NONE else requests[ahead].next
    if sm.back_head and sm.lsu_free <= cycle and returns.has_turn(sm, requests, code, index, when, cycle):
        answers.free_request(requests, returns.serve(m, counts, sm, warps, requests, code, events, cycle))
        if index != NONE:
            when = max(when, turn.free_at(sm, requests[index], code[requests[index].code]))
    if when > cycle:
        when = min(when, max(cycle + 1, sm.lsu_free)) if sm.back_head else when
        if when < INF:
            turn.come_back(sm, s, events, when)
        return
    sub, request = subs[i], requests[index]
    one, warp = code[request.code], warps[request.warp]
    busy, tags = m.shared_interval, 0
    if request.space == EXCHANGE:
        busy = copies.whole_cycles(sm, one.held_fp) if one.held_fp else max(busy, m.exchange_interval)
        if one.closes:
            busy += copies.closed(m, counts, sm, warp, request, events, cycle)
        else:
            begin = max(cycle, warp.stored) if one.is_store else cycle  # a fence waits for the warp's stores
            if one.stops:
                busy = max(busy, stops.stop(m, sm, cycle))
            elif not one.is_store:
                busy, late = operands.take(m, sm, busy << FP, 1, cycle)
                begin += late >> FP
            answer(gpu, counts, sub, warp, request, index, one, events, requests, begin + one.latency, cycle)
    elif request.space == SHARED:
        wavefronts = accesses[request.access].wavefronts * m.wavefront_fp
        held, late = operands.take(m, sm, wavefronts, one.is_store == 0, cycle)
        busy = max(busy, held)
        warp.paced = cycle + (m.own_wavefront * wavefronts >> FP)
        if one.is_store:
            busy += copies.meet(counts, sm, cycle, wavefronts >> FP)
            warp.stored = cycle + busy + m.store_latency
        answer(gpu, counts, sub, warp, request, index, one, events, requests,
               cycle + shared_latency(m, one) + (late + max(0, one.wavefront * (wavefronts - (1 << FP))) >> FP), cycle)  # fmt: skip
    else:
        access = accesses[request.access]
        if request.space == COPY and not places.has_room(m, sm, request, one, access):
            counts.queue_conflicts += 1
            turn.come_back(sm, s, events, cycle + RETRY)
            return
        took = l1.access(m, gpu, counts, sms, s, warp, request, index, one, access, lines, events, requests, fills,
                         l1_tags, l1_lines, cycle)  # fmt: skip
        if took < 0:
            counts.queue_conflicts += 1
            turn.come_back(sm, s, events, cycle + RETRY)
            return
        tags = took
        busy = 0 if turn.is_load(request, one) else max(busy, request.passes)
        if request.space == COPY:
            busy = max(busy, took)
            busy = tags = copies.time_of(m, counts, sm, request, one, access, busy, cycle)
        counts.requests += 1
    pop(m, sub, request, ahead, index, one, requests, warps, code, events, i, sm, stalls, cycle)
    if request.left > 0:
        if request.left > 1 or request.space == COPY:
            answers.expect(warp, requests, index)
            places.take(m, sm, requests, index, one)
        answers.arrived(m, counts, sm, s, warps, requests, index, code, events, request.last, cycle)
    sm.tags_free = max(sm.tags_free, cycle + tags)
    if busy:
        counts.lsu_cycles += busy
        if not one.stops:
            stops.served(sm, cycle, busy)
        sm.lsu_free, sm.back_last = cycle + busy, 0
    turn.come_back(sm, s, events, cycle + 1 if sm.back_head or waiting(subs, s) else max(cycle + 1, sm.lsu_free))


@njit(cache=True, forceinline=True)
def waiting(subs, s):
    """Whether there are accesses to global or local memory in the queues."""
    return subs[4 * s].lg_count + subs[4 * s + 1].lg_count + subs[4 * s + 2].lg_count + subs[4 * s + 3].lg_count


@njit(cache=True)
def shared_latency(m, one):
    if one.is_atomic:
        return m.shared_atomic_latency
    if one.matrix:
        return m.ldsm_latency
    return m.store_latency if one.is_store else m.shared_latency


@njit(cache=True)
def answer(gpu, counts, sub, warp, request, index, one, events, requests, when, cycle):
    """An instruction that needs no line from below: its result is there at `when`."""
    schedule(events, when, RELEASE, request.warp, one.write_add)  # also without a counter: the warp may wait to exit
    counts.requests += 1
    counts.answers += 1
    warp.outstanding -= 1
    request.left = NONE  # to be freed when it leaves the queue


@njit(cache=True, forceinline=True)
def pop(m, sub, request, ahead, index, one, requests, warps, code, events, i, sm, stalls, cycle):
    """Leave the sub-core's queue; the place is given to a warp that found it full.

    The oldest block's warps go first, of a block the one that waits longest (our microbenchmark
    sm_memory/mio_queue_arbitration: a sub-core's warps of three blocks have their ninth to fifteenth loads taken at 51
    to 144, 164 to 296 and 392 to 492 cycles, of one block all at 84 to 476).
    """
    turn.leave(sub, requests, ahead, index)
    sub.handed -= 1
    sub.handed_data -= handover.data(one, request.off)
    handover.advance(m, sm, sub, requests, code, events, cycle)
    if one.space in (GLOBAL, LOCAL):
        sub.lg_count -= 1
    if request.left == NONE:
        answers.free_request(requests, index)
    first, age, since = NONE, INF, INF
    refused = sub.refused
    while refused:
        w = i * m.slots + lowest(refused)
        refused &= refused - 1
        warp = warps[w]
        if warp.ready != INF or (warp.state != MIO and warp.state != LG):
            sub.refused ^= warp.bit  # something else has woken it
        elif (warp.turn < age or (warp.turn == age and warp.mark < since)) and full(
            m, sub, warp, code[warp.current]
        ) == 0:
            first, age, since = w, warp.turn, warp.mark
    if first != NONE:
        warp = warps[first]
        sub.given += 1 - warp.given
        warp.given, sub.given_turn = 1, warp.turn
        wake(warp, sub, sm, stalls, cycle)
        warp.state = WAIT
