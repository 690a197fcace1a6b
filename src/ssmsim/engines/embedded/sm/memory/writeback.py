"""Loads of which the data are there: they pass the SM's unit on their way to registers.

A load from global or local memory takes nothing of the data banks when it is issued. Its data do once they are there:
the time of a wavefront for each line that came, or those of one that hit. Among accesses to shared memory such loads
have every second turn. Our microbenchmark sm_memory/load_data_bank_timing: 20 loads of each of four warps beside
LDS.128 that keep the unit busy. Until the first data come those lose 5 % of their cycles, then half: 5.0, 2.9 and 2.0
cycles in all for each load of four, two and one lines, also where the four lines lie in different banks; a load of 4, 8
and 16 bytes a lane every 4.8, 6.4 and 7.6 cycles, of which the LDS has four.
"""

from numba import njit

from ssmsim.engines.embedded.event_queue import BACK, RELEASE, schedule
from ssmsim.engines.embedded.sm.memory.arbiter import come_back, is_load


@njit(cache=True, forceinline=True)
def from_banks(m):
    """Cycles from a load's turn until its registers are written: half of a hit's latency."""
    return m.l1_latency - m.l1_latency // 2


@njit(cache=True)
def expect(m, sm, requests, events, index, when, cycle):
    """Were nothing in its way, the registers of a load would be written at `when`."""
    turn = when - from_banks(m)
    if turn > cycle:
        schedule(events, turn, BACK, sm.number, index)
    else:
        join(sm, requests, events, index, cycle)


@njit(cache=True)
def join(sm, requests, events, index, cycle):
    """A load waits for its turn from now on."""
    requests[index].later = 0
    if sm.back_head:
        requests[sm.back_tail].later = index
    else:
        sm.back_head = index
    sm.back_tail = index
    when = max(cycle, sm.lsu_free)
    if when < sm.lsu_next:
        come_back(sm, events, when)


@njit(cache=True, forceinline=True)
def has_turn(sm, requests, code, index, when, cycle):
    """Whether one that waits goes before the next instruction, `index`, that the unit may serve at `when`."""
    return when > cycle or not sm.back_last or is_load(requests[index], code[requests[index].code])


@njit(cache=True)
def serve(m, counts, sm, warps, requests, code, events, cycle):
    """The first that waits has its turn; its request, to be freed."""
    index = sm.back_head
    request = requests[index]
    sm.back_head, sm.back_last = request.later, 1
    sm.lsu_free = cycle + request.passes
    counts.lsu_cycles += request.passes
    counts.answers += 1
    warps[request.warp].outstanding -= 1
    schedule(events, cycle + from_banks(m), RELEASE, request.warp, code[request.code].write_add)
    return index
