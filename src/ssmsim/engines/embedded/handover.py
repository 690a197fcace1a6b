"""Hand-over: a sub-core reads a memory instruction's registers and passes it to the SM's unit, before that serves it.

What waits to overwrite those registers goes on from here. The unit keeps a few instructions of each sub-core, of stores as
many as their data leave room for; the SM's sub-cores hand on one per cycle together, an LDGSTS per two, of a store one register
per cycle. Our microbenchmark handover: 20 stores of 4 bytes a lane per SM, 13 to 16 of 8 and 5 to 8 of 16 may wait for their banks
while their registers are free; LDGSTS of any kind come 2 cycles apart. proxy: a fence behind four stores of 16 bytes a lane of each of
four warps waits for these 64 (a round of 118 cycles, 40 without stores: sts4.membar.4, none.membar.4).
"""

from numba import njit

from ssmsim.engines.embedded.events import RELEASE, schedule
from ssmsim.engines.embedded.records import COPY


@njit(cache=True, forceinline=True)
def advance(m, sm, sub, requests, code, events, cycle):
    """Hand on, oldest first, what the unit has room for."""
    while sub.unread:
        request = requests[sub.unread]
        one = code[request.code]
        if sub.handed and (sub.handed == m.handed or sub.handed_data + one.payload > m.handed_data):
            return
        sub.unread = request.next
        sub.handed += 1
        sub.handed_data += one.payload
        begin = max(sm.hand_free, cycle)
        sm.hand_free = begin + (m.copy_hand if request.space == COPY else max(m.shared_interval, one.payload))
        request.arrival = max(request.arrival, begin)
        if one.read_add:
            release = request.arrival + m.read_release + m.subcore_interval * one.sources
            schedule(events, release, RELEASE, request.warp, one.read_add)
