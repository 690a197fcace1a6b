"""First ready: the transaction whose data can start first, of those an open row, then the oldest (FR-FCFS)."""

from numba import njit

from ssmsim.engines.embedded.memory.dram_bank import is_open, start_of
from ssmsim.engines.embedded.state.records import INF


@njit(cache=True)
def choose(m, channel, transactions, writing, soonest, cycle):
    """(transaction whose data can start first, the one before it in the queue, that start).

    An open row wins a tie, then the older. The search ends at an open row that could start at once: nothing beats it.
    """
    best, before, earliest = 0, 0, INF
    previous, number, seen = 0, channel.head[1 if writing else 0], 0
    while number and seen < m.dram_queue:
        transaction = transactions[number]
        seen += 1
        hit = is_open(channel, transaction, cycle)
        if hit or earliest > soonest:
            start = start_of(m, channel, transaction, cycle)
            if start < earliest or (hit and start == earliest):
                best, before, earliest = number, previous, start
                if hit and start <= soonest:
                    break
        previous, number = number, transaction.next
    return best, before, earliest
