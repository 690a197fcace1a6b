"""Banks of an HBM channel: whether a row is open, and when a transaction's data could start."""

from numba import njit

from ssmsim.engines.embedded.memory.address_map import refresh_of
from ssmsim.engines.embedded.state.records import FP


@njit(cache=True)
def is_open(channel, transaction, cycle):
    """Whether its row is open: it closes when the data of its last access begin."""
    bank = transaction.bank
    return channel.row[bank] == transaction.row and cycle <= channel.last[bank]


@njit(cache=True)
def start_of(m, channel, transaction, cycle):
    """When this transaction's data could start if it were chosen now."""
    cycle = max(cycle, transaction.arrival)
    start = max(channel.free_fp >> FP, cycle)
    bank = transaction.bank
    if is_open(channel, transaction, cycle):
        start = max(start, channel.last[bank] + m.dram.column_cycles)
    else:
        start = max(
            start,
            max(cycle, channel.ready[bank] + m.dram.row_cycle_cycles - m.dram.row_miss_cycles) + m.dram.row_miss_cycles,
        )
    if m.dram.refresh_interval_cycles:
        since = (
            start + m.dram.refresh_interval_cycles - refresh_of(m, transaction.channel, bank)
        ) % m.dram.refresh_interval_cycles
        if since < m.dram.refresh_cycles + m.dram.row_miss_cycles:
            start += m.dram.refresh_cycles + m.dram.row_miss_cycles - since
    return start
