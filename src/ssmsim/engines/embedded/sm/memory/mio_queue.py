"""Hand-over: a sub-core reads a memory instruction's registers and passes it to the SM's unit, before that serves it.

What waits to overwrite those registers goes on from here. The unit keeps a few instructions of each sub-core, of stores as
many as their data leave room for; the SM's sub-cores hand on one per cycle together, an LDGSTS per two, of a store one
register per cycle. Our microbenchmark sm_memory/source_register_release: 20 stores of 4 bytes a lane per SM, 13 to 16
of 8 and 5 to 8 of 16 may wait for their banks while their registers are free; LDGSTS of any kind come 2 cycles apart.
Microbenchmark sm_memory/proxy_fence_latency: a fence behind four stores of 16 bytes a lane of each of four warps waits
for these 64 (a round of 118 cycles, 40 without stores: sts4.membar.4, none.membar.4). An instruction that is on in no
lane sends nothing: 16 stores of each of 16 warps take 326 cycles a round, of 4 or 16 bytes a lane, 16 of each of four
warps of a sub-core 105, and copies come a cycle apart (our microbenchmark sm_memory/predicated_off_latency).
"""

from numba import njit

from ssmsim.engines.embedded.event_queue import RELEASE, schedule
from ssmsim.engines.embedded.sm import register_file
from ssmsim.engines.embedded.sm.instruction import COPY


@njit(cache=True, forceinline=True)
def reading(m, one, off):
    """Cycles for which an instruction holds its sub-core's port to read its registers."""
    if off:
        return 1 if one.is_store else m.mio.subcore_interval_cycles
    return one.port if one.port else m.mio.subcore_interval_cycles * one.sources


@njit(cache=True, forceinline=True)
def data(one, off):
    """Registers of a store that pass."""
    return 0 if off else one.payload


@njit(cache=True, forceinline=True)
def advance(m, sm, sub, requests, code, events, cycle):
    """Hand on, oldest first, what the unit has room for."""
    while sub.unread:
        request = requests[sub.unread]
        one = code[request.code]
        registers = data(one, request.off)
        if sub.handed and (
            sub.handed == m.mio.handed_entries_per_subcore
            or sub.handed_data + registers > m.mio.handed_registers_per_subcore
        ):
            return
        sub.unread = request.next
        sub.handed += 1
        sub.handed_data += registers
        begin = max(sm.hand_free, cycle)
        copies = request.space == COPY and not request.off
        sm.hand_free = begin + (m.mio.copy_hand_cycles if copies else max(m.mio.shared_interval_cycles, registers))
        request.arrival = max(request.arrival, begin)
        if request.gives:
            register_file.read(m, request, events, request.arrival + reading(m, one, request.off))
        if one.read_add:
            release = request.arrival + m.mio.read_release_cycles + reading(m, one, request.off)
            schedule(events, release, RELEASE, request.warp, one.read_add)
