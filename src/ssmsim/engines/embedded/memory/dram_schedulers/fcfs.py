"""First come, first served: the oldest of a channel's transactions, whatever its bank is doing."""

from numba import njit

from ssmsim.engines.embedded.memory.dram_bank import start_of
from ssmsim.engines.embedded.state.records import INF


@njit(cache=True)
def choose(m, channel, transactions, writing, soonest, cycle):
    number = channel.head[1 if writing else 0]
    return number, 0, start_of(m, channel, transactions[number], cycle) if number else INF
