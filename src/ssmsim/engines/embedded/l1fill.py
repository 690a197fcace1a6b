"""Lines that come back to an L1: make their sectors valid and answer every request that waited for them."""

from numba import njit

from ssmsim.engines.embedded import answers, copies
from ssmsim.engines.embedded.coalesce import popcount
from ssmsim.engines.embedded.noc import free_fill
from ssmsim.engines.embedded.records import COPY, NONE


@njit(cache=True)
def fill(m, counts, sms, warps, code, events, requests, fills, l1_lines, index, cycle):
    fill_ = fills[index]
    sms[fill_.sm].misses -= 1
    counts.l1_fill_sectors += popcount(fill_.sectors)
    if fill_.way != NONE:
        entry = l1_lines[fill_.way]
        entry.valid |= fill_.sectors
        entry.pending &= ~fill_.sectors
    when = cycle + m.l1_latency - m.l1_latency // 2
    request = requests[fill_.request]
    if request.space == COPY and code[request.code].bypass:
        copies.arrives(m, counts, sms[fill_.sm], popcount(fill_.sectors), cycle)
    answers.arrived(m, counts, warps, requests, fill_.request, code, events, when)
    waiter = fill_.waiters
    while waiter:
        following = fills[waiter].next
        answers.arrived(m, counts, warps, requests, fills[waiter].request, code, events, when)
        free_fill(fills, waiter)
        waiter = following
    free_fill(fills, index)
