"""Answers of memory instructions to their warp: those that leave the L1 come back in order.

A load, a copy or an atomic waits for those that its warp issued before it. Loads that hit the L1, loads from shared memory
and other warps do not. Our microbenchmark sm_memory/load_return_order: four dependent loads from L2 behind one from
DRAM take 1,686 cycles, alone 1,297, behind another warp's 1,310; behind an LDGSTS 1,705; LDGSTS behind a load wait even
when they hit the L1 (ldg.copy); 16 loads that hit behind one from DRAM end with it (ldg.hit, copy.hit).
"""

from numba import njit

from ssmsim.engines.embedded.event_queue import COPY_DONE, RELEASE, schedule
from ssmsim.engines.embedded.sm.instruction import COPY
from ssmsim.engines.embedded.sm.memory import ldgsts_inflight, writeback
from ssmsim.engines.embedded.sm.memory.arbiter import is_load
from ssmsim.engines.embedded.state.records import NONE


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
def arrived(m, chip, cores, sm, index, when, cycle):
    """One line of a request is there at `when`; with the last, it is answered, and those that waited for it are."""
    request = cores.requests[index]
    request.left -= 1
    if request.left:
        return
    if not request.ordered:
        answer(m, chip, cores, sm, index, when, cycle)
        return
    request.there = when
    warp = cores.warps[request.warp]
    while warp.first_answer and cores.requests[warp.first_answer].there:
        first = warp.first_answer
        warp.first_answer = cores.requests[first].later
        when = max(when, cores.requests[first].there)
        answer(m, chip, cores, sm, first, when, cycle)


@njit(cache=True)
def answer(m, chip, cores, sm, index, when, cycle):
    """The request's counter goes down, of a load once its data have passed; places are given back, also of those it alone held up."""
    request = cores.requests[index]
    ldgsts_inflight.answered(sm, cores.requests, index)
    sm.awaited -= request.room
    if is_load(request, cores.code[request.code]):
        writeback.expect(m, sm, cores.requests, chip.events, index, when, cycle)
    else:
        chip.counts.answers += 1
        schedule(chip.events, when, RELEASE, request.warp, cores.code[request.code].write_add)
        if request.space == COPY:
            schedule(chip.events, when - m.copy_early, COPY_DONE, request.warp, request.group)
        else:
            cores.warps[request.warp].outstanding -= 1
            free_request(cores.requests, index)
    done = ldgsts_inflight.give_back(sm, cores.requests)
    while done:
        free_request(cores.requests, done)
        done = ldgsts_inflight.give_back(sm, cores.requests)


@njit(cache=True)
def answer_alone(chip, cores, index, when):
    """An instruction that needs no line from below: its result is there at `when`."""
    request = cores.requests[index]
    # also without a counter: the warp may wait to exit
    schedule(chip.events, when, RELEASE, request.warp, cores.code[request.code].write_add)
    chip.counts.requests += 1
    chip.counts.answers += 1
    cores.warps[request.warp].outstanding -= 1
    request.left = NONE  # to be freed when it leaves the queue


@njit(cache=True, forceinline=True)
def take_request(run, requests):
    """An entry of the free list; 0, and the run ends, when there is none."""
    free = requests[0]
    index = free.next
    if index == 0:
        run.fault = 1
    else:
        free.next = requests[index].next
    return index


@njit(cache=True)
def free_request(requests, index):
    requests[index].next = requests[0].next
    requests[0].next = index
