"""Lines that come back to an L1: make their sectors valid and answer every request that waited for them."""

from numba import njit

from ssmsim.engines.embedded.bitmask import popcount
from ssmsim.engines.embedded.memory.noc import free_fill
from ssmsim.engines.embedded.sm.instruction import BULK_SPACE, COPY
from ssmsim.engines.embedded.sm.memory import ldgsts, prefetch_buffer, return_order, tma
from ssmsim.engines.embedded.state.records import NONE


@njit(cache=True)
def fill(m, chip, cores, memory, index, cycle):
    fill_ = memory.fills[index]
    if fill_.request != NONE and cores.requests[fill_.request].space == BULK_SPACE:
        tma.came(m, chip, cores, fill_, cycle)
        free_fill(memory.fills, index)
        return
    cores.sms[fill_.sm].misses -= 1
    chip.counts.l1_fill_sectors += popcount(fill_.sectors)
    if fill_.request == NONE:
        prefetch_buffer.came(m, chip, cores, fill_, cycle)
    else:
        if fill_.way != NONE:
            entry = cores.l1_lines[fill_.way]
            entry.valid |= fill_.sectors
            entry.pending &= ~fill_.sectors
        reaches(m, chip, cores, fill_, fill_.request, cycle)
    waiter = fill_.waiters
    while waiter:
        following = memory.fills[waiter].next
        reaches(m, chip, cores, fill_, memory.fills[waiter].request, cycle)
        free_fill(memory.fills, waiter)
        waiter = following
    free_fill(memory.fills, index)


@njit(cache=True, forceinline=True)
def reaches(m, chip, cores, fill_, index, cycle):
    """The line is there for a request that waited for it."""
    sm, request = cores.sms[fill_.sm], cores.requests[index]
    if request.space == COPY:
        if cores.code[request.code].bypass:
            ldgsts.arrives(m, chip.counts, sm, popcount(fill_.sectors), cycle)
        elif request.left == 1:
            ldgsts.comes_back(m, sm, cores.accesses[request.access], cycle)
    return_order.arrived(m, chip, cores, sm, index, cycle + m.l1_latency - m.l1_latency // 2, cycle)
