"""Lines that come back to an L1: make their sectors valid and answer every request that waited for them."""

from numba import njit

from ssmsim.engines.embedded.bitmask import popcount
from ssmsim.engines.embedded.memory.noc import free_fill
from ssmsim.engines.embedded.sm.memory import ldgsts, return_order
from ssmsim.engines.embedded.state.records import COPY, NONE


@njit(cache=True)
def fill(m, counts, sms, warps, code, events, requests, accesses, fills, l1_lines, index, cycle):
    fill_ = fills[index]
    sms[fill_.sm].misses -= 1
    counts.l1_fill_sectors += popcount(fill_.sectors)
    request = requests[fill_.request]
    one = code[request.code]
    if fill_.way != NONE:
        entry = l1_lines[fill_.way]
        entry.valid |= fill_.sectors
        entry.pending &= ~fill_.sectors
    when = cycle + m.l1_latency - m.l1_latency // 2
    if request.space == COPY:
        if one.bypass:
            ldgsts.arrives(m, counts, sms[fill_.sm], popcount(fill_.sectors), cycle)
        elif request.left == 1:
            ldgsts.comes_back(m, sms[fill_.sm], accesses[request.access], cycle)
    return_order.arrived(m, counts, sms[fill_.sm], fill_.sm, warps, requests, fill_.request, code, events, when, cycle)
    waiter = fill_.waiters
    while waiter:
        following = fills[waiter].next
        late = requests[fills[waiter].request]
        if late.space == COPY and late.left == 1:
            ldgsts.comes_back(m, sms[fill_.sm], accesses[late.access], cycle)
        return_order.arrived(
            m, counts, sms[fill_.sm], fill_.sm, warps, requests, fills[waiter].request, code, events, when, cycle
        )
        free_fill(fills, waiter)
        waiter = following
    free_fill(fills, index)
