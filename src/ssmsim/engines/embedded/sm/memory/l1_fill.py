"""Lines that come back to an L1: make their sectors valid and answer every request that waited for them."""

from numba import njit

from ssmsim.engines.embedded.bitmask import popcount
from ssmsim.engines.embedded.memory.noc import free_fill
from ssmsim.engines.embedded.sm.instruction import COPY
from ssmsim.engines.embedded.sm.memory import ldgsts, return_order
from ssmsim.engines.embedded.state.records import NONE


@njit(cache=True)
def fill(m, chip, cores, memory, index, cycle):
    fill_ = memory.fills[index]
    cores.sms[fill_.sm].misses -= 1
    chip.counts.l1_fill_sectors += popcount(fill_.sectors)
    request = cores.requests[fill_.request]
    one = cores.code[request.code]
    if fill_.way != NONE:
        entry = cores.l1_lines[fill_.way]
        entry.valid |= fill_.sectors
        entry.pending &= ~fill_.sectors
    when = cycle + m.l1_latency - m.l1_latency // 2
    if request.space == COPY:
        if one.bypass:
            ldgsts.arrives(m, chip.counts, cores.sms[fill_.sm], popcount(fill_.sectors), cycle)
        elif request.left == 1:
            ldgsts.comes_back(m, cores.sms[fill_.sm], cores.accesses[request.access], cycle)
    return_order.arrived(m, chip, cores, cores.sms[fill_.sm], fill_.request, when, cycle)
    waiter = fill_.waiters
    while waiter:
        following = memory.fills[waiter].next
        late = cores.requests[memory.fills[waiter].request]
        if late.space == COPY and late.left == 1:
            ldgsts.comes_back(m, cores.sms[fill_.sm], cores.accesses[late.access], cycle)
        return_order.arrived(m, chip, cores, cores.sms[fill_.sm], memory.fills[waiter].request, when, cycle)
        free_fill(memory.fills, waiter)
        waiter = following
    free_fill(memory.fills, index)
