"""Answers of memory instructions to their warp: those that leave the L1 come back in order.

A load, a copy or an atomic waits for those that its warp issued before it. Loads that hit the L1, loads from shared memory
and other warps do not. Our microbenchmark sm_memory/load_return_order: four dependent loads from L2 behind one from
DRAM take 1,686 cycles, alone 1,297, behind another warp's 1,310; behind an LDGSTS 1,705; LDGSTS behind a load wait even
when they hit the L1 (ldg.copy); 16 loads that hit behind one from DRAM end with it (ldg.hit, copy.hit).
"""

from numba import njit

from ssmsim.engines.embedded import places, returns
from ssmsim.engines.embedded.events import COPY_DONE, RELEASE, schedule
from ssmsim.engines.embedded.records import COPY
from ssmsim.engines.embedded.turn import is_load


@njit(cache=True)
def expect(warp, requests, index):
    """This request's answer comes after those that the warp waits for already."""
    requests[index].ordered = 1
    if warp.first_answer:
        requests[warp.last_answer].later = index
    else:
        warp.first_answer = index
    warp.last_answer = index


@njit(cache=True)
def arrived(m, counts, sm, s, warps, requests, index, code, events, when, cycle):
    """One line of a request is there at `when`; with the last, it is answered, and those that waited for it are."""
    request = requests[index]
    request.left -= 1
    if request.left:
        return
    if not request.ordered:
        answer(m, counts, sm, s, warps, requests, index, code, events, when, cycle)
        return
    request.there = when
    warp = warps[request.warp]
    while warp.first_answer and requests[warp.first_answer].there:
        first = warp.first_answer
        warp.first_answer = requests[first].later
        when = max(when, requests[first].there)
        answer(m, counts, sm, s, warps, requests, first, code, events, when, cycle)


@njit(cache=True)
def answer(m, counts, sm, s, warps, requests, index, code, events, when, cycle):
    """The request's counter goes down, of a load once its data have passed; places are given back, also of those it alone held up."""
    request = requests[index]
    places.answered(sm, requests, index)
    sm.awaited -= request.room
    if is_load(request, code[request.code]):
        returns.expect(m, sm, s, requests, events, index, when, cycle)
    else:
        counts.answers += 1
        schedule(events, when, RELEASE, request.warp, code[request.code].write_add)
        if request.space == COPY:
            schedule(events, when - m.copy_early, COPY_DONE, request.warp, request.group)
        else:
            warps[request.warp].outstanding -= 1
            free_request(requests, index)
    done = places.give_back(sm, requests)
    while done:
        free_request(requests, done)
        done = places.give_back(sm, requests)


@njit(cache=True)
def free_request(requests, index):
    requests[index].next = requests[0].next
    requests[0].next = index
