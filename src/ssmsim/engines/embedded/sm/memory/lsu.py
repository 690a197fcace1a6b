"""MIO and LSU: queues of memory instructions per sub-core, and the SM's one unit that serves them.

A sub-core hands instructions on (mio_queue.py), the shared unit takes one per shared_interval (arXiv 2503.20481, section
5.4; whose turn it is: arbiter.py), longer when shared-memory banks conflict or a global access touches several lines. Shared
memory answers after a fixed latency, and with each further wavefront later, as does local memory that lies there
(state/spill_space.py); global and other local accesses go to the L1, and loads among them pass once more when their data are
there (writeback.py). Fences of a block pass through like an access, or stop the unit (lsu_drain.py).
"""

from numba import njit

from ssmsim.architecture import SUBCORES
from ssmsim.engines.embedded.bitmask import lowest
from ssmsim.engines.embedded.sm import hgmma_operands
from ssmsim.engines.embedded.sm.instruction import (
    CLUSTER,
    COPY,
    EXCHANGE,
    GLOBAL,
    LOCAL,
    MBARRIER,
    REMOTE_STORE,
    SHARED,
)
from ssmsim.engines.embedded.sm.memory import (
    arbiter,
    distributed_shared,
    l1,
    ldgsts,
    ldgsts_inflight,
    lsu_drain,
    mbarrier,
    mio_queue,
    prefetch_buffer,
    return_order,
    writeback,
)
from ssmsim.engines.embedded.sm.scoreboard import reconsider, wake
from ssmsim.engines.embedded.sm.stalls import LG, MIO, WAIT
from ssmsim.engines.embedded.state.records import COPY_GROUPS, COUNTER_MASK, FP, INF, NONE, record

RETRY = 4  # cycles until an access that found no free miss entry or place tries again: polling, not a hardware value

# A memory instruction in flight in an SM.
REQUEST = record(
    "next", "warp", "code", "access", "arrival", "left", "group", "space", "off", "last",
    "ordered", "there", "later",  # answers of a warp in order, see return_order.py
    "passes",  # wavefronts of a load when its data are there, see writeback.py
    "place_fp", "standing", "older", "newer",  # what is on its way in the order of the SM, see ldgsts_inflight.py
    "room",  # lines of the L1 that it keeps until it is answered
    "gives",  # registers that come back when its own are read, see sm/register_file.py
    "at", "targets", "slot", "barrier", "bytes",  # of bulk copies, see tma.py
)  # fmt: skip


@njit(cache=True, forceinline=True)
def full(m, sub, warp, one):
    """Stall reason when the queue cannot take this instruction of the warp, else 0.

    A place that a younger block's warp is to have is free for it (our microbenchmark sm/block_issue_priority: store).
    """
    if one.space in (GLOBAL, LOCAL) and sub.lg_count >= m.mio.lg_queue_entries:
        return LG
    kept = sub.given - warp.given
    if kept and warp.turn < sub.given_turn:
        kept -= 1
    return MIO if sub.queue_count + kept >= m.mio.queue_entries_per_subcore else 0


# Writes that loads of other blocks await: the cycle at which each is at the L2, 0 before.
SIGNALS = record("when")


@njit(cache=True, forceinline=True)
def held_back(m, warp, one, accesses, signals):
    """Whether what another block is to write is not there yet (feed/handover.py)."""
    if not m.handover or one.space != GLOBAL or one.is_store or one.is_atomic:
        return False
    number = accesses[warp.access].awaits
    return number != 0 and signals[number].when == 0


@njit(cache=True)
def written(m, cores, number, cycle):
    """A write that is awaited is at the L2: warps that were held back go on."""
    cores.signals[number].when = max(1, cycle)
    for w in range(m.sms * SUBCORES * m.sm.warp_slots_per_subcore):
        warp = cores.warps[w]
        if warp.block != NONE and warp.ready == INF and not warp.held and cores.code[warp.current].space == GLOBAL:
            place = w // m.sm.warp_slots_per_subcore
            reconsider(warp, cores.subs[place], cores.sms[place // SUBCORES], cores.code, cores.stalls, cycle)


@njit(cache=True, forceinline=True)
def push(m, chip, cores, w, cycle):
    """Queue the warp's current memory instruction; its counters go up now and down when data or operands are there."""
    sm, sub, warp = (
        cores.sms[w // (SUBCORES * m.sm.warp_slots_per_subcore)],
        cores.subs[w // m.sm.warp_slots_per_subcore],
        cores.warps[w],
    )
    one = cores.code[warp.current]
    index = return_order.take_request(chip.run, cores.requests)
    if index == 0:
        return
    request = cores.requests[index]
    request.next, request.warp, request.code, request.left = 0, w, warp.current, 0
    request.access = NONE
    request.ordered, request.there, request.later, request.standing, request.room, request.gives = 0, 0, 0, 0, 0, 0
    request.space = one.space
    if one.space != EXCHANGE:
        request.access = warp.access
        warp.access += 1
        if one.generic and cores.accesses[request.access].wavefronts < 0:
            request.space = CLUSTER
        if one.spill_bytes and cores.accesses[request.access].lines == 0:
            request.space = SHARED
        if one.is_store and one.space == GLOBAL:
            sm.stores_issued += cores.accesses[request.access].lines
    request.arrival = max(cycle + 1, sub.queue_last)
    request.off = warp.off
    sub.queue_last = request.arrival + mio_queue.reading(m, one, request.off)
    if sub.queue_count == 0:
        sub.queue_head = index
    else:
        cores.requests[sub.queue_tail].next = index
    sub.queue_tail = index
    sub.queue_count += 1
    if sub.unread == 0:
        sub.unread = index
        mio_queue.advance(m, sm, sub, cores.requests, cores.code, chip.events, cycle)
    sub.given -= warp.given
    warp.given = 0
    warp.outstanding += 1
    warp.scoreboard += one.write_add + one.read_add
    mask = (one.write_add | one.read_add) * COUNTER_MASK
    warp.long = warp.long | mask if one.write_long else warp.long & ~mask
    if one.closes:
        ldgsts.close(warp, one, index)
    elif one.space == COPY:
        request.group = warp.copy_group
        warp.copy_left[warp.copy_group % COPY_GROUPS] += 1
        sm.last_access = cycle
    elif one.space in (GLOBAL, LOCAL):
        sub.lg_count += 1
        sm.last_access = cycle
    if m.prefetch_places and prefetch_buffer.foreseen(one):
        warp.loads += 1
        prefetch_buffer.call(chip.events, sm, cycle)
    when = max(request.arrival, arbiter.free_at(sm, request, one))
    if when < sm.lsu_next:
        arbiter.come_back(sm, chip.events, when)


@njit(cache=True)
def serve(m, chip, cores, memory, s, cycle):
    """Serve one instruction and come back for the next."""
    sm, requests, events = cores.sms[s], cores.requests, chip.events
    if sm.lsu_next != cycle:  # it has been here, or comes back
        return
    sm.lsu_next = INF
    i, ahead, when = arbiter.following(sm, cores.subs, requests, cores.warps, cores.code, SUBCORES * s, cycle)
    index = NONE
    if i != NONE:
        index = cores.subs[i].queue_head if ahead == NONE else requests[ahead].next
    if sm.back_head and sm.lsu_free <= cycle and writeback.has_turn(sm, requests, cores.code, index, when, cycle):
        done = writeback.serve(m, chip.counts, sm, cores.warps, requests, cores.code, events, cycle)
        return_order.free_request(requests, done)
        if index != NONE:
            when = max(when, arbiter.free_at(sm, requests[index], cores.code[requests[index].code]))
    if when > cycle:
        when = min(when, max(cycle + 1, sm.lsu_free)) if sm.back_head else when
        if when < INF:
            arbiter.come_back(sm, events, when)
        return
    request = requests[index]
    one, warp = cores.code[request.code], cores.warps[request.warp]
    tags = 0
    if request.space == EXCHANGE:
        busy = exchange(m, chip, cores, sm, index, cycle)
    elif request.space == SHARED:
        busy = shared(m, chip, cores, sm, index, cycle)
    elif request.space == MBARRIER:
        busy = mbarrier.serve(m, chip, cores, index, cycle)
    elif request.space == CLUSTER:
        busy = distributed_shared.serve(m, chip, cores, sm, index, cycle)
    elif request.space == REMOTE_STORE:
        busy = distributed_shared.store(m, chip, cores, sm, index, cycle)
    else:
        busy, tags = beyond(m, chip, cores, memory, s, index, cycle)
        if tags < 0:
            chip.counts.queue_conflicts += 1
            arbiter.come_back(sm, events, cycle + RETRY)
            return
    pop(m, chip, cores, i, ahead, index, cycle)
    if request.left > 0:
        if request.left > 1 or request.space == COPY:
            return_order.expect(warp, requests, index)
            ldgsts_inflight.take(m, sm, requests, index, one)
        return_order.arrived(m, chip, cores, sm, index, request.last, cycle)
    sm.tags_free = max(sm.tags_free, cycle + tags)
    if busy:
        chip.counts.lsu_cycles += busy
        if not one.stops:
            lsu_drain.served(sm, cycle, busy)
        sm.lsu_free, sm.back_last = cycle + busy, 0
    arbiter.come_back(sm, events, cycle + 1 if sm.back_head or waiting(cores.subs, s) else max(cycle + 1, sm.lsu_free))


@njit(cache=True, forceinline=True)
def exchange(m, chip, cores, sm, index, cycle):
    """What passes through the unit without an address (shuffles, fences of a block, LDGDEPBAR): cycles that it holds it."""
    request = cores.requests[index]
    one, warp = cores.code[request.code], cores.warps[request.warp]
    busy = (
        ldgsts.whole_cycles(sm, one.held_fp)
        if one.held_fp
        else max(m.mio.shared_interval_cycles, m.mio.shuffle_interval_cycles)
    )
    if one.closes:
        return busy + ldgsts.closed(m, chip.counts, sm, warp, request, chip.events, cycle)
    begin = max(cycle, warp.stored) if one.is_store else cycle  # a fence waits for the warp's stores
    if one.stops:
        busy = max(busy, lsu_drain.stop(m, sm, cycle))
    elif not one.is_store:
        busy, late = hgmma_operands.take(m, sm, busy << FP, 1, cycle)
        begin += late >> FP
    return_order.answer_alone(chip, cores, index, begin + one.latency)
    return busy


@njit(cache=True, forceinline=True)
def shared(m, chip, cores, sm, index, cycle):
    """An access to shared memory: cycles that it holds the unit."""
    request = cores.requests[index]
    one, warp = cores.code[request.code], cores.warps[request.warp]
    wavefronts = cores.accesses[request.access].wavefronts * m.wavefront_fp
    held, late = hgmma_operands.take(m, sm, wavefronts, one.is_store == 0, cycle)
    busy = max(m.mio.shared_interval_cycles, held)
    warp.paced = cycle + (m.shared.warp_wavefront_cycles * wavefronts >> FP)
    if one.is_store:
        busy += ldgsts.meet(chip.counts, sm, cycle, wavefronts >> FP)
        warp.stored = cycle + busy + m.shared.store_latency_cycles
    late += max(0, one.wavefront * (wavefronts - (1 << FP)))
    return_order.answer_alone(chip, cores, index, cycle + shared_latency(m, one) + (late >> FP))
    return busy


@njit(cache=True, forceinline=True)
def beyond(m, chip, cores, memory, s, index, cycle):
    """Access to global or local memory: (cycles of the unit, of the tags), which are -1 when it must try again later."""
    sm, request = cores.sms[s], cores.requests[index]
    one, access = cores.code[request.code], cores.accesses[request.access]
    if request.space == COPY and not ldgsts_inflight.has_room(m, sm, request, one, access):
        return 0, -1
    tags = l1.access(m, chip, cores, memory, s, index, cycle)
    if tags < 0:
        return 0, -1
    busy = 0 if arbiter.is_load(request, one) else max(m.mio.shared_interval_cycles, request.passes)
    if request.space == COPY:
        busy = tags = ldgsts.time_of(m, chip.counts, sm, request, one, access, max(busy, tags), cycle)
    chip.counts.requests += 1
    return busy, tags


@njit(cache=True, forceinline=True)
def waiting(subs, s):
    """Whether there are accesses to global or local memory in the queues."""
    first = SUBCORES * s
    return subs[first].lg_count + subs[first + 1].lg_count + subs[first + 2].lg_count + subs[first + 3].lg_count


@njit(cache=True)
def shared_latency(m, one):
    if one.is_atomic:
        return m.shared.atomic_latency_cycles - 1
    if one.matrix:
        return m.shared.ldsm_latency_cycles - 1
    return m.shared.store_latency_cycles if one.is_store else (m.shared.load_latency_cycles - 1)


@njit(cache=True, forceinline=True)
def pop(m, chip, cores, i, ahead, index, cycle):
    """Leave the sub-core's queue; the place is given to a warp that found it full.

    The oldest block's warps go first, of a block the one that waits longest (our microbenchmark
    sm_memory/mio_queue_arbitration: a sub-core's warps of three blocks have their ninth to fifteenth loads taken at 51
    to 144, 164 to 296 and 392 to 492 cycles, of one block all at 84 to 476).
    """
    sm, sub, request = cores.sms[i // SUBCORES], cores.subs[i], cores.requests[index]
    one = cores.code[request.code]
    arbiter.leave(sub, cores.requests, ahead, index)
    sub.handed -= 1
    sub.handed_data -= mio_queue.data(one, request.off)
    mio_queue.advance(m, sm, sub, cores.requests, cores.code, chip.events, cycle)
    if one.space in (GLOBAL, LOCAL):
        sub.lg_count -= 1
    if request.left == NONE:
        return_order.free_request(cores.requests, index)
    first, age, since = NONE, INF, INF
    refused = sub.refused
    while refused:
        w = i * m.sm.warp_slots_per_subcore + lowest(refused)
        refused &= refused - 1
        warp = cores.warps[w]
        if warp.ready != INF or (warp.state != MIO and warp.state != LG):
            sub.refused ^= warp.bit  # something else has woken it
        elif (warp.turn < age or (warp.turn == age and warp.mark < since)) and full(
            m, sub, warp, cores.code[warp.current]
        ) == 0:
            first, age, since = w, warp.turn, warp.mark
    if first != NONE:
        warp = cores.warps[first]
        sub.given += 1 - warp.given
        warp.given, sub.given_turn = 1, warp.turn
        wake(warp, sub, sm, cores.stalls, cycle)
        warp.state = WAIT
