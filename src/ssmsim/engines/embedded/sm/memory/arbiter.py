"""Whose turn it is at the SM's unit: the oldest instruction handed on to it whose warp is not held by its own wavefronts.

A warp's wavefronts in shared memory pass at one per warp_wavefront_cycles, and its next access, copy or LDGDEPBAR waits until
they have; those of other warps go between, of its own sub-core too, so instructions of one sub-core overtake each other.
Those of one warp stay in order. Our microbenchmarks sm_memory/shared_memory_bank_conflicts (warps0: 16 stores with 32
conflicts of one warp take 1,024 cycles, as those of two warps) and sm_memory/wavefront_interval (lds32_four,
sts32_four: 8 cycles each from one warp).
"""

from numba import njit

from ssmsim.engines.embedded.event_queue import SERVE, schedule
from ssmsim.engines.embedded.sm.instruction import COPY, EXCHANGE, GLOBAL, LOCAL, MBARRIER, SHARED
from ssmsim.engines.embedded.state.records import INF, NONE


@njit(cache=True, forceinline=True)
def may_pass(request, warp, one):
    """Cycle from which the unit may serve it."""
    if request.space == SHARED or request.space == COPY or one.closes:
        return max(request.arrival, warp.paced)
    return request.arrival


@njit(cache=True, forceinline=True)
def is_load(request, one):
    """From global or local memory: it needs the tags, and the data banks only when its data are there (writeback.py)."""
    return (request.space == GLOBAL or request.space == LOCAL) and not one.is_store and not one.is_atomic


@njit(cache=True, forceinline=True)
def free_at(sm, request, one):
    """Cycle from which what an instruction needs of the unit is free: tags, data banks, or both."""
    if request.space == SHARED or request.space == EXCHANGE or request.space >= MBARRIER:
        return sm.lsu_free
    return sm.tags_free if is_load(request, one) else max(sm.lsu_free, sm.tags_free)


@njit(cache=True, forceinline=True)
def come_back(sm, events, when):
    """The unit looks for work at `when`, not at the cycle that was named before."""
    sm.lsu_next = when
    schedule(events, when, SERVE, sm.number, 0)


@njit(cache=True)
def following(sm, subs, requests, warps, code, first, cycle):
    """(sub-core of the next instruction, the one before it in its queue, cycle from which it may be served).

    Of those that may at `cycle` the one that arrived first, else the one that may first; NONE when all queues are empty.
    """
    best, ahead, since, arrived = NONE, NONE, INF, INF
    for i in range(first, first + 4):
        sub = subs[i]
        before, index = NONE, sub.queue_head
        for _ in range(sub.handed):
            request = requests[index]
            if not behind_own(sub, requests, index):
                one = code[request.code]
                own = max(cycle, may_pass(request, warps[request.warp], one))
                when = max(own, free_at(sm, request, one))
                if when < since or (when == since and request.arrival < arrived):
                    best, ahead, since, arrived = i, before, when, request.arrival
                if own <= max(cycle, request.arrival):
                    break  # those behind it have arrived later
            before, index = index, request.next
    return best, ahead, since


@njit(cache=True)
def behind_own(sub, requests, index):
    """Whether an older instruction of its warp is in the queue."""
    older = sub.queue_head
    while older != index:
        if requests[older].warp == requests[index].warp:
            return True
        older = requests[older].next
    return False


@njit(cache=True, forceinline=True)
def leave(sub, requests, ahead, index):
    """Take an instruction out of its queue; `ahead`: the one before it, or NONE."""
    following = requests[index].next
    if ahead == NONE:
        sub.queue_head = following
    else:
        requests[ahead].next = following
    if sub.queue_tail == index:
        sub.queue_tail = ahead
    sub.queue_count -= 1
