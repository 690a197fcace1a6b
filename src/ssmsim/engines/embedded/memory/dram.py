"""HBM channels: one data bus each, banks with an open row, reads before writes, writes in turns, refresh by bank.

A channel picks, among its oldest waiting transactions, the one whose data can start first (of those an open row wins, then
the older), as the row is to be opened, so activations of other banks overlap transfers. A row closes with its last access
that waits. Of the reads of a slice its channels choose among some 58, the oldest; an idle bank does not pass the rest. Each
of them also makes a later read's answer later, by about a clock of the memory: what does that is not known (all three:
our microbenchmark dram/bank_mapping, rows). The bus turns to writes when no read has come for read_idle, however few
they are, or when a whole turn of them waits, and back when a turn has gone and less than another waits, or none does;
of few writes idle_turn go before reads that wait meanwhile. The turn costs time from the decision on (our
microbenchmark dram/read_latency_under_load: lone reads beside readers and writers). What a full stream loses is in
proportion to its writes, whatever their share (dram/bandwidth, streams).
"""

from numba import njit

from ssmsim.architecture import MOST_DRAM_BANKS, SECTOR_BYTES
from ssmsim.engines.embedded.bitmask import popcount
from ssmsim.engines.embedded.event_queue import CHANNEL_SERVE, DRAM_DONE, schedule
from ssmsim.engines.embedded.memory import dram_schedulers
from ssmsim.engines.embedded.memory.address_map import dram_of
from ssmsim.engines.embedded.memory.dram_bank import is_open
from ssmsim.engines.embedded.plugins import chosen
from ssmsim.engines.embedded.state.records import FP, NONE, record

choose = chosen(dram_schedulers, "choose")

# A burst group on its way from or to DRAM.
TRANSACTION = record(
    "next",
    "channel",
    "remote",
    "slice",
    "bank",
    "row",
    "sectors",
    "write",
    "waiters",
    "l2",
    "arrival",
    "late",
    "earlier",
    "later",
)

# A channel; queues: [reads, writes].
CHANNEL = record("free_fp", ("head", 2), ("tail", 2), "reads", "writes", "writing", "turn", "least", "scheduled",
                  ("row", MOST_DRAM_BANKS), ("last", MOST_DRAM_BANKS), ("ready", MOST_DRAM_BANKS))  # fmt: skip


@njit(cache=True)
def read(m, chip, memory, slice_, line, sectors, l2_way, now):
    """Queue a read of sectors of a line, for a way of the L2 or NONE; the transaction's number."""
    number = transaction_of(m, memory, slice_, line, sectors, now)
    memory.transactions[number].write, memory.transactions[number].l2 = 0, l2_way
    owner = memory.slices[slice_]
    owner.misses += 1
    chip.counts.dram_reads += popcount(sectors)
    if owner.first_queued == 0:
        owner.first_queued = number
    else:
        memory.transactions[owner.last_queued].next = number
    owner.last_queued = number
    admit(m, memory.transactions, memory.channels, memory.slices, chip.events, slice_, now)
    return number


@njit(cache=True)
def write(m, chip, memory, slice_, line, sectors, now):
    """Queue a write of sectors of a line at its channel; the transaction's number."""
    number = transaction_of(m, memory, slice_, line, sectors, now)
    memory.transactions[number].write, memory.transactions[number].l2 = 1, NONE
    memory.slices[slice_].writes += 1
    chip.counts.dram_writes += popcount(sectors)
    enter(m, memory.transactions, memory.channels, chip.events, number, now)
    return number


@njit(cache=True)
def transaction_of(m, memory, slice_, line, sectors, now):
    """A transaction for sectors of a line: its channel, bank and row; its number."""
    number = take_transaction(memory.transactions)
    transaction = memory.transactions[number]
    part, transaction.bank, transaction.row = dram_of(m, slice_, line)
    transaction.next, transaction.channel = 0, slice_ * m.dram.channels // m.l2.slices + part
    transaction.slice, transaction.sectors, transaction.waiters = slice_, sectors, 0
    transaction.arrival = now
    return number


@njit(cache=True)
def enter(m, transactions, channels, events, number, now):
    """Let the channel choose among its transactions this one, too."""
    transaction = transactions[number]
    channel, way = channels[transaction.channel], transaction.write
    if channel.head[way] == 0:
        channel.head[way] = number
    else:
        transactions[channel.tail[way]].next = number
    channel.tail[way] = number
    if way:
        channel.writes += 1
    else:
        channel.reads += 1
    look_at(channel, events, transaction.channel, max(now + 1, (channel.free_fp >> FP) - m.dram.row_miss_cycles))


@njit(cache=True)
def admit(m, transactions, channels, slices, events, slice_, now):
    """Let the slice's oldest reads in while they have places; those of a channel that writes do not count.

    That they do not is assumed: if they did, one channel's writes would stop the other's reads, and copies of 512 bytes
    (dram/bandwidth_by_access_size: both.512.32) be 6 % too slow.
    """
    owner = slices[slice_]
    first = slice_ * m.dram.channels // m.l2.slices
    places = m.dram_queue
    for index in range(first, first + max(1, m.dram.channels // m.l2.slices)):
        if channels[index].writing:
            places += channels[index].reads
    while owner.first_queued and owner.choosable < places:
        number = owner.first_queued
        owner.first_queued = transactions[number].next
        transactions[number].next, transactions[number].late = 0, owner.choosable * m.look_fp >> FP
        owner.choosable += 1
        enter(m, transactions, channels, events, number, now)


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
def serve(m, chip, memory, index, cycle):
    """Commit one transaction of the channel to its bus and come back for the next.

    What waits for its bank or a refresh is not committed before its row can be opened: others may come and go first.
    """
    channel = memory.channels[index]
    if channel.scheduled != cycle:
        return
    channel.scheduled = 0
    writing = channel.writes > 0 and (channel.reads == 0 or channel.writes >= m.dram.write_turn_lines
                                      or (channel.writing and channel.turn < channel.least))  # fmt: skip
    quiet = (channel.free_fp >> FP) + m.dram.read_idle_cycles
    if writing and not channel.writing and channel.writes < m.dram.write_turn_lines and cycle < quiet:
        look_at(channel, chip.events, index, quiet)
        return
    soonest = max(channel.free_fp >> FP, cycle)
    best, before, earliest = choose(m.dram_scheduler, m, channel, memory.transactions, writing, soonest, cycle)
    if (
        earliest - m.dram.row_cycle_cycles > soonest
    ):  # all wait for refresh: what goes the other way may be for another bank
        other, ahead, when = choose(m.dram_scheduler, m, channel, memory.transactions, not writing, soonest, cycle)
        if when < earliest:
            best, before, earliest, writing = other, ahead, when, not writing
    if best == 0:
        return
    if earliest - m.dram.row_miss_cycles > cycle:
        look_at(channel, chip.events, index, earliest - m.dram.row_miss_cycles)
        return
    way = 1 if writing else 0
    transaction = memory.transactions[best]
    if before:
        memory.transactions[before].next = transaction.next
    else:
        channel.head[way] = transaction.next
    if channel.tail[way] == best:
        channel.tail[way] = before
    turned = writing and not channel.writing
    transfer(m, chip, channel, transaction, best, earliest, writing, cycle)
    if not writing:
        memory.slices[transaction.slice].choosable -= 1
    if turned or not writing:
        admit(m, memory.transactions, memory.channels, memory.slices, chip.events, transaction.slice, cycle)
    if channel.reads or channel.writes:
        look_at(channel, chip.events, index, max(cycle + 1, (channel.free_fp >> FP) - m.dram.row_miss_cycles))


@njit(cache=True)
def transfer(m, chip, channel, transaction, number, start, writing, cycle):
    """Bus and bank times of the transaction chosen at a cycle."""
    if writing != channel.writing:
        chip.counts.dram_turns += 1
        free = channel.free_fp >> FP
        channel.least = (
            m.dram.write_turn_lines
            if channel.writes >= m.dram.write_turn_lines
            else min(m.dram.idle_turn_lines, m.dram.write_turn_lines)
        )
        start = max(
            start, max(free, cycle) + m.dram.read_to_write_cycles if writing else free + m.dram.write_to_read_cycles
        )
        channel.writing, channel.turn = writing, 0
    channel.turn += 1
    bank, sectors = transaction.bank, popcount(transaction.sectors)
    if is_open(channel, transaction, cycle):
        chip.counts.dram_row_hits += 1
    else:
        chip.counts.dram_row_misses += 1
        channel.row[bank] = transaction.row
    channel.last[bank] = start + (sectors * SECTOR_BYTES - 1) // m.dram.access_bytes * m.dram.column_cycles
    channel.ready[bank] = channel.last[bank] + (m.dram.write_recovery_cycles if writing else 0)
    channel.free_fp = max(channel.free_fp, start << FP) + (sectors * SECTOR_BYTES * m.burst_fp // m.dram.access_bytes)
    if writing:
        channel.writes -= 1
    else:
        channel.reads -= 1
    chip.counts.dram_issued += 1
    schedule(
        chip.events,
        (channel.free_fp >> FP) + (0 if writing else m.dram_latency + transaction.late),
        DRAM_DONE,
        number,
        0,
    )
