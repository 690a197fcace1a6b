"""HBM channels: one data bus each, banks with an open row, reads before writes, writes in turns, refresh.

A channel picks, among its oldest waiting transactions, the one whose data can start first (a row that is open beats one
to be opened, the older wins a tie), so activations of other banks overlap transfers. Timing parameters: JEDEC HBM3.
The bus turns to writes when so many lines wait, and back after as many: what a stream loses to turns is in proportion to
its writes, whatever their share (our microbenchmark dram, streams).
"""

from numba import njit

from ssmsim.engines.embedded.coalesce import popcount
from ssmsim.engines.embedded.events import CHANNEL_SERVE, DRAM_DONE, schedule
from ssmsim.engines.embedded.records import FP, INF


@njit(cache=True)
def push(m, counts, slices, transactions, channels, events, slice_, line, sectors, write, l2_way, now):
    """Queue sectors of a line at their channel; returns the transaction's number."""
    number = take_transaction(transactions)
    transaction = transactions[number]
    granule = line // m.l2_granule // m.l2_slices  # consecutive pieces of one slice
    per_slice = m.channels // m.l2_slices if m.channels > m.l2_slices else 1
    index = slice_ * m.channels // m.l2_slices + granule % per_slice
    row = granule // per_slice // m.row_granules
    transaction.next, transaction.channel, transaction.slice = 0, index, slice_
    transaction.row, transaction.bank = row + 1, (row ^ row >> 4 ^ row >> 8) % m.banks
    transaction.sectors, transaction.write, transaction.l2, transaction.waiters = sectors, write, l2_way, 0
    transaction.arrival = now
    slices[slice_].misses += 1
    channel = channels[index]
    if channel.head[write] == 0:
        channel.head[write] = number
    else:
        transactions[channel.tail[write]].next = number
    channel.tail[write] = number
    if write:
        channel.writes += 1
        counts.dram_writes += popcount(sectors)
    else:
        channel.reads += 1
        counts.dram_reads += popcount(sectors)
    if not channel.scheduled:
        channel.scheduled = 1
        schedule(events, max(now + 1, (channel.free_fp >> FP) - m.row_miss), CHANNEL_SERVE, index, 0)
    return number


@njit(cache=True)
def take_transaction(transactions):
    """An entry of the free list; the L2 makes sure that there is one."""
    number = transactions[0].next
    transactions[0].next = transactions[number].next
    transactions[0].sectors -= 1
    return number


@njit(cache=True)
def free_transaction(transactions, number):
    transactions[number].next = transactions[0].next
    transactions[0].next = number
    transactions[0].sectors += 1  # the head counts the free ones


@njit(cache=True)
def start_of(m, channel, transaction, cycle):
    """When this transaction's data could start if it were chosen now."""
    start = max(channel.free_fp >> FP, cycle)
    bank = transaction.bank
    if channel.row[bank] == transaction.row:
        return max(start, channel.ready[bank])
    return max(start, max(cycle, channel.ready[bank] + m.row_cycle - m.row_miss) + m.row_miss)


@njit(cache=True)
def serve(m, counts, transactions, channels, events, index, cycle):
    """Commit one transaction of the channel to its bus and come back for the next.

    The search ends at the first that could start at once: no later one beats it.
    """
    channel = channels[index]
    if m.refresh_interval and cycle >= channel.refreshed + m.refresh_interval:
        channel.refreshed = cycle - cycle % m.refresh_interval
        channel.free_fp = max(channel.free_fp, cycle << FP) + (m.refresh << FP)
    writing = channel.writes > 0 and (channel.reads == 0 or channel.writes >= m.write_turn
                                      or (channel.writing and channel.turn < m.write_turn))  # fmt: skip
    way = 1 if writing else 0
    soonest = max(channel.free_fp >> FP, cycle)
    best, before, earliest = 0, 0, INF
    previous, number, seen = 0, channel.head[way], 0
    while number and seen < m.dram_queue and earliest > soonest:
        transaction = transactions[number]
        seen += 1
        start = start_of(m, channel, transaction, cycle)
        if start < earliest:
            best, before, earliest = number, previous, start
        previous, number = number, transaction.next
    if best == 0:
        channel.scheduled = 0
        return
    transaction = transactions[best]
    if before:
        transactions[before].next = transaction.next
    else:
        channel.head[way] = transaction.next
    if channel.tail[way] == best:
        channel.tail[way] = before
    transfer(m, counts, channel, transaction, best, earliest, writing, events)
    if channel.reads or channel.writes:
        schedule(events, max(cycle + 1, (channel.free_fp >> FP) - m.row_miss), CHANNEL_SERVE, index, 0)
    else:
        channel.scheduled = 0


@njit(cache=True)
def transfer(m, counts, channel, transaction, number, start, writing, events):
    """Bus and bank times of the chosen transaction."""
    bank = transaction.bank
    if channel.row[bank] == transaction.row:
        counts.dram_row_hits += 1
    else:
        counts.dram_row_misses += 1
        channel.row[bank] = transaction.row
        channel.ready[bank] = start  # row opened in time for this
    if writing != channel.writing:
        counts.dram_turns += 1
        start += m.read_to_write if writing else m.write_to_read
        channel.writing, channel.turn = writing, 0
    channel.turn += 1
    bursts = popcount(transaction.sectors) * 32
    channel.free_fp = max(channel.free_fp, start << FP) + (bursts * m.burst_fp // m.access_bytes)
    if writing:
        channel.writes -= 1
    else:
        channel.reads -= 1
    counts.dram_issued += 1
    schedule(events, (channel.free_fp >> FP) + (0 if writing else m.dram_latency), DRAM_DONE, number, 0)
