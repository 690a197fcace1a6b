"""HBM channels: one data bus each, banks with an open row, reads before writes, writes in turns, refresh by group.

A channel picks, among its oldest waiting transactions, the one whose data can start first (a row that is open beats one
to be opened, the older wins a tie), so activations of other banks overlap transfers. Every line opens a row: reads of
512 B wait as long as such of 128 B, and 64 B that lie apart come at 2.95 TB/s, 128 B at 4.56, as 16 banks give them (our
microbenchmark pieces). The bus turns to writes when no read has come for read_idle, however few they are, or when a whole
turn of them waits, and back when a turn has gone and less than another waits, or none does; of few writes idle_turn go
before reads that wait meanwhile. The turn costs time from the decision on (our microbenchmark mixed: lone reads beside
readers and writers). What a full stream loses is in proportion to its writes, whatever their share (dram, streams).
"""

from numba import njit

from ssmsim.engines.embedded.coalesce import popcount
from ssmsim.engines.embedded.events import CHANNEL_SERVE, DRAM_DONE, schedule
from ssmsim.engines.embedded.homes import bank_of, number_of, refresh_of, scramble
from ssmsim.engines.embedded.records import FP, INF


@njit(cache=True)
def push(m, counts, slices, transactions, channels, events, slice_, line, sectors, write, l2_way, now):
    """Queue sectors of a line at their channel; returns the transaction's number."""
    number = take_transaction(transactions)
    transaction = transactions[number]
    place = number_of(m, line)
    granule = place // m.l2_granule
    per_slice = m.channels // m.l2_slices if m.channels > m.l2_slices else 1
    # Mixed, which is not measured: unmixed, a column of a matrix had half of the channels.
    part = (granule + (scramble(granule // per_slice) >> 9)) % per_slice
    index = slice_ * m.channels // m.l2_slices + part
    transaction.next, transaction.channel, transaction.slice = 0, index, slice_
    transaction.row, transaction.bank, transaction.refresh = place + 1, bank_of(m, line), refresh_of(m, line)
    transaction.sectors, transaction.write, transaction.l2, transaction.waiters = sectors, write, l2_way, 0
    transaction.arrival = now
    channel = channels[index]
    if channel.head[write] == 0:
        channel.head[write] = number
    else:
        transactions[channel.tail[write]].next = number
    channel.tail[write] = number
    if write:
        slices[slice_].writes += 1
        channel.writes += 1
        counts.dram_writes += popcount(sectors)
    else:
        slices[slice_].misses += 1
        channel.reads += 1
        counts.dram_reads += popcount(sectors)
    look_at(channel, events, index, max(now + 1, (channel.free_fp >> FP) - m.row_miss))
    return number


@njit(cache=True)
def look_at(channel, events, index, when):
    """Have the channel served at a cycle, or sooner when it is to be already."""
    if channel.scheduled == 0 or when < channel.scheduled:
        channel.scheduled = when
        schedule(events, when, CHANNEL_SERVE, index, 0)


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
    cycle = max(cycle, transaction.arrival)
    start = max(channel.free_fp >> FP, cycle)
    bank = transaction.bank
    if channel.row[bank] != transaction.row:
        opens = max(cycle, channel.ready[bank] + m.row_cycle - m.row_miss)
        start = max(start, opens + m.row_miss)
    if m.refresh_interval:
        since = since_refresh(m, transaction.channel, transaction.refresh, start)
        if since < m.refresh + m.row_miss:
            start += m.refresh + m.row_miss - since
    return start


@njit(cache=True)
def since_refresh(m, index, group, cycle):
    """Cycles since the last refresh of the group began; the groups take turns, those of the second partition a bit later.

    Our microbenchmark refresh: 13 % of lone reads wait, evenly up to 267 ns more; lines of one slice in other pages wait
    at other times, those of one piece together, and the two partitions of 64 KB 1/16 of the interval apart.
    """
    later = index * m.partitions // m.channels * m.refresh_interval // 16
    return (cycle + group * m.refresh_interval // m.refresh_groups + later) % m.refresh_interval


@njit(cache=True)
def choose(m, channel, transactions, writing, soonest, cycle):
    """(transaction whose data can start first, the one before it in the queue, that start); the older wins a tie."""
    best, before, earliest = 0, 0, INF
    previous, number, seen = 0, channel.head[1 if writing else 0], 0
    while number and seen < m.dram_queue and earliest > soonest:
        transaction = transactions[number]
        seen += 1
        start = start_of(m, channel, transaction, cycle)
        if start < earliest:
            best, before, earliest = number, previous, start
        previous, number = number, transaction.next
    return best, before, earliest


@njit(cache=True)
def serve(m, counts, transactions, channels, events, index, cycle):
    """Commit one transaction of the channel to its bus and come back for the next.

    The search ends at the first that could start at once: no later one beats it. What waits for a refresh is not
    committed before it is over: others may come and go first.
    """
    channel = channels[index]
    if channel.scheduled != cycle:
        return
    channel.scheduled = 0
    writing = channel.writes > 0 and (channel.reads == 0 or channel.writes >= m.write_turn
                                      or (channel.writing and channel.turn < channel.least))  # fmt: skip
    quiet = (channel.free_fp >> FP) + m.read_idle
    if writing and not channel.writing and channel.writes < m.write_turn and cycle < quiet:
        look_at(channel, events, index, quiet)
        return
    soonest = max(channel.free_fp >> FP, cycle)
    best, before, earliest = choose(m, channel, transactions, writing, soonest, cycle)
    if earliest - m.row_cycle > soonest:  # all wait for refresh: what goes the other way may be for another bank
        other, ahead, when = choose(m, channel, transactions, not writing, soonest, cycle)
        if when < earliest:
            best, before, earliest, writing = other, ahead, when, not writing
    if best == 0:
        return
    if earliest - m.row_cycle > soonest:
        look_at(channel, events, index, earliest - m.row_cycle)
        return
    way = 1 if writing else 0
    transaction = transactions[best]
    if before:
        transactions[before].next = transaction.next
    else:
        channel.head[way] = transaction.next
    if channel.tail[way] == best:
        channel.tail[way] = before
    transfer(m, counts, channel, transaction, best, earliest, writing, events, cycle)
    if channel.reads or channel.writes:
        look_at(channel, events, index, max(cycle + 1, (channel.free_fp >> FP) - m.row_miss))


@njit(cache=True)
def transfer(m, counts, channel, transaction, number, start, writing, events, cycle):
    """Bus and bank times of the transaction chosen at a cycle."""
    if writing != channel.writing:
        counts.dram_turns += 1
        free = channel.free_fp >> FP
        channel.least = m.write_turn if channel.writes >= m.write_turn else min(m.idle_turn, m.write_turn)
        start = max(start, max(free, cycle) + m.read_to_write if writing else free + m.write_to_read)
        channel.writing, channel.turn = writing, 0
    channel.turn += 1
    bank = transaction.bank
    if channel.row[bank] == transaction.row:
        counts.dram_row_hits += 1
    else:
        counts.dram_row_misses += 1
        channel.row[bank] = transaction.row
        channel.ready[bank] = start  # row opened in time for this
    if writing:
        channel.ready[bank] = start + m.write_recovery
    bursts = popcount(transaction.sectors) * 32
    channel.free_fp = max(channel.free_fp, start << FP) + (bursts * m.burst_fp // m.access_bytes)
    if writing:
        channel.writes -= 1
    else:
        channel.reads -= 1
    counts.dram_issued += 1
    schedule(events, (channel.free_fp >> FP) + (0 if writing else m.dram_latency), DRAM_DONE, number, 0)
