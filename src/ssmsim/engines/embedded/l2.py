"""L2 slices: sectored, misses become DRAM transactions.

A slice looks up one request per L2 clock, in order of arrival; its data array gives slice_bytes_per_cycle for hits, and
through a port of its own takes what stores (l2write.py) and DRAM bring, not what is only passed on to the other
partition. Atomics have a unit of their own (adds.py).
"""

from numba import njit

from ssmsim.engines.embedded import adds, asked, dram, l2write, noc, queues
from ssmsim.engines.embedded.coalesce import popcount
from ssmsim.engines.embedded.events import ARRIVE, DRAM_DONE, STORED, schedule
from ssmsim.engines.embedded.l1 import bringer, expect
from ssmsim.engines.embedded.noc import take_fill
from ssmsim.engines.embedded.records import FP, NONE
from ssmsim.engines.embedded.tags import first_way, search


@njit(cache=True)
def arrive(m, gpu, counts, sms, subs, warps, slices, nodes, l2_tags, l2_lines, transactions, channels, fills, coalescer, events, code,
           stalls, index, resumed, cycle):  # fmt: skip
    """A request reaches its slice, or is taken up again as the first of those that wait there."""
    fill = fills[index]
    slice_ = slices[fill.slice]
    kind = queues.kind_of(fill)
    if resumed:
        kind = resumed - 1
        slice_.resuming[kind] = 0
    else:
        fill.since = cycle
        alone = fill.remote or fill.store or fill.atomic
        if (
            m.coalescer
            and not alone
            and noc.join(m, counts, sms[fill.sm], coalescer, fills, fill, index, events, cycle)
        ):
            return
        behind = queues.to_wait_in(m, slice_, nodes, fill, kind, cycle)
        if behind != NONE:
            first = queues.front(m, nodes, fill.slice, behind) == 0
            queues.wait(m, sms, slices, nodes, fills, index, behind)
            if first:
                resume(m, slices, nodes, events, fill.slice, behind, slice_.free_fp >> FP)
            return
    way, victim = search(l2_tags, l2_lines, first_way(m, fill, fill.slice), m.l2_ways, fill.line)
    if not room(m, slice_, transactions, way, victim, kind):
        counts.l2_retries += 1
        if resumed and kind == queues.LOADS:
            queues.take(m, slices, nodes, fills, fill.slice, kind)
            resume(m, slices, nodes, events, fill.slice, kind, cycle + 1)
        if not resumed or kind == queues.LOADS:
            queues.wait(m, sms, slices, nodes, fills, index, queues.MISSES if kind == queues.LOADS else kind)
        return
    sectors = popcount(fill.sectors)
    at_home = fill.slice == fill.home
    slice_.free_fp = max(slice_.free_fp, cycle << FP)
    now = taken = slice_.free_fp >> FP
    slice_.free_fp += max(m.slice_fp, adds.arriving(m, sms, fill)) if fill.atomic else m.slice_fp
    if resumed:
        queues.take(m, slices, nodes, fills, fill.slice, kind)
        resume(m, slices, nodes, events, fill.slice, kind, max(cycle + 1, slice_.free_fp >> FP))
    if fill.atomic:
        if at_home:
            now = adds.begin(m, slice_, fill, sectors, now)
        adds.hold(m, slice_, slices[fill.home], fill, sectors, at_home)
    counts.l2_sectors += sectors
    if not at_home and (fill.store or fill.atomic):
        if way == NONE and victim != NONE and fill.store:
            way = victim
            l2write.replace(m, counts, slices, l2_tags, l2_lines, transactions, channels, events, way, fill.line,
                            fill.slice, now)  # fmt: skip
        if fill.store:
            schedule(events, max(cycle, now), STORED, index, 1)
        pass_on(m, gpu, counts, l2_tags, l2_lines, fill, index, way, sectors, events, now)
        return
    if way == NONE and victim == NONE:  # for another slice, and every way awaits data: fetch without keeping
        number = dram.push(m, counts, slices, transactions, channels, events, fill.slice, fill.line, fill.sectors, 0,
                           NONE, now)  # fmt: skip
        fill.next, fill.since, transactions[number].waiters = 0, now, index
        return
    if way == NONE:
        way = victim
        l2write.replace(m, counts, slices, l2_tags, l2_lines, transactions, channels, events, way, fill.line, fill.slice,
                        now)  # fmt: skip
    entry = l2_lines[way]
    gpu.uses += 1  # order of use, the same for requests that are not timed (functional.py)
    l2_tags[way].used = gpu.uses
    if fill.store:
        number, clean = fill.slice, entry.dirty == 0
        l2write.write(m, counts, sms, l2_tags, l2_lines, fill, entry, sectors)
        start = taken if fill.atomic else write_data(slice_, fill.payload * m.slice_write_fp // 32, now)
        schedule(events, max(cycle, start), STORED, index, 0)
        if clean:
            l2write.write_early(m, counts, slices, l2_tags, l2_lines, transactions, channels, events, way, number, now)
        return
    read(m, gpu, counts, sms, slices, l2_tags, l2_lines, transactions, channels, fills, coalescer, fill, index, entry, way,
         sectors, events, now)  # fmt: skip


@njit(cache=True)
def move_data(slice_, busy, now):
    """Take the data array of a slice for some time (fixed point); the cycle at which that starts."""
    start = max(slice_.data_free_fp, now << FP)
    slice_.data_free_fp = start + busy
    return start >> FP


@njit(cache=True)
def write_data(slice_, busy, now):
    """The same for data that come in: stores and what DRAM brings take turns, reads go on beside them.

    Our microbenchmarks: streams of reads from DRAM and of writes that stay in L2 add up (l2/cold_stream_traffic), reads
    of L2 and stores do not (l2/load_store_throughput: l2.dram). A store that waits for its turn holds up no lookup:
    with that the slices take what l2/partial_sector_store_throughput and l2/latency_bandwidth, write_l2, measure,
    within 3 % in 7 of 8 shapes, and loads that miss meanwhile go on (l2/cold_stream_traffic: 2_1_2.40MB). That as many
    as there are find room, and that lines which an owner in the other partition sends take no time here, is assumed.
    """
    start = max(slice_.write_free_fp, now << FP)
    slice_.write_free_fp = start + busy
    return start >> FP


@njit(cache=True)
def room(m, slice_, transactions, way, victim, kind):
    """Whether a slice can take a request that may miss.

    Writes that await their turn at DRAM have places of their own.
    Requests of other slices wait for DRAM alone, never for a slice's own questions: two slices that wait for each
    other's answers would never go on.
    """
    if max(slice_.misses, slice_.writes) >= m.slice_misses or transactions[0].sectors < 4:
        return False
    return kind == queues.QUESTIONS or (slice_.asked < m.slice_misses and (way != NONE or victim != NONE))


@njit(cache=True)
def resume(m, slices, nodes, events, number, kind, when):
    """Have the waiting request of a slice that is next tried again."""
    index = queues.front(m, nodes, number, kind)
    if index and not slices[number].resuming[kind]:
        slices[number].resuming[kind] = 1
        schedule(events, when, ARRIVE, index, kind + 1)


@njit(cache=True)
def offer(m, slices, nodes, fills, events, number, cycle):
    """A slice has room again: of the other partition's questions and its own misses the older goes first.

    With questions first the SMs of one partition ended a stream of reads 9 % before the others; on the GPU all are within
    5 % (the kernels of our microbenchmark dram/bandwidth, streams, with the ends of their blocks).
    """
    question, miss = queues.front(m, nodes, number, queues.QUESTIONS), queues.front(m, nodes, number, queues.MISSES)
    if miss and question and fills[miss].since < fills[question].since:
        resume(m, slices, nodes, events, number, queues.MISSES, cycle)
    for kind in (queues.QUESTIONS, queues.MISSES, queues.LOADS, queues.STORES):
        resume(m, slices, nodes, events, number, kind, cycle)


@njit(cache=True)
def pass_on(m, gpu, counts, l2_tags, l2_lines, fill, index, way, sectors, events, now):
    """A store or atomic for a line that the other partition owns goes through this one.

    ncu counts such sectors in both partitions: 1.50 L2 write sectors for each that the L1s write, in every kernel. A
    store leaves a copy here: read back, it hits near (our microbenchmarks l2/partition_hit_traffic: read_back, and
    l2/latency_bandwidth: near_far).
    """
    if way != NONE and fill.store:
        l2_lines[way].valid |= fill.sectors & fill.full
        gpu.uses += 1
        l2_tags[way].used = gpu.uses
    elif way != NONE:
        l2_lines[way].valid &= ~fill.sectors
    counts.l2_hits += sectors
    if fill.store:
        counts.l2_write_sectors += sectors
    fill.slice = fill.home
    bytes_ = m.header + fill.payload
    schedule(events, noc.cross(m, gpu, counts, fill.slice * m.partitions // m.l2_slices, bytes_, now), ARRIVE, index, 0)


@njit(cache=True)
def read(m, gpu, counts, sms, slices, l2_tags, l2_lines, transactions, channels, fills, coalescer, fill, index, entry, way,
         sectors, events, now):  # fmt: skip
    """A load or a returning atomic: answer, or wait for DRAM."""
    missing = fill.sectors & ~entry.valid
    hits = sectors - popcount(
        missing & ~entry.pending
    )  # a tag that is there hits, also while its data are on their way
    if not fill.atomic:
        counts.l2_read_sectors += sectors
        counts.l2_read_hits += hits
    counts.l2_hits += hits
    if fill.atomic:
        entry.dirty |= fill.sectors
        l2write.drop_copy(m, l2_tags, l2_lines, fill)
    if missing == 0:
        extra = m.atomic_latency if fill.atomic else 0
        when = move_data(slices[fill.slice], sectors * m.slice_sector_fp, now)
        before = asked.holds_up(m, slices[fill.slice], transactions, fill)
        if before:
            fill.next, fill.since = transactions[before].waiters, when
            transactions[before].waiters = index
            return
        noc.reply(m, gpu, counts, sms, slices, coalescer, fills, index, events, when + extra)
        return
    home = fill.home
    if fill.slice != home:
        fetch = missing & ~entry.pending
        if fetch:
            entry.pending |= fetch
            number = ask_owner(m, gpu, counts, slices, transactions, fills, fill, home, fetch, way, events, now)
            expect(entry, fetch, number)
    else:
        fetch = promoted(missing, max(m.l2_fetch, fill.promote)) & ~entry.valid & ~entry.pending
        if fetch:
            entry.pending |= fetch
            number = dram.push(m, counts, slices, transactions, channels, events, home, fill.line, fetch, 0, way, now)
            expect(entry, fetch, number)
    transaction = transactions[bringer(entry, missing)]
    fill.next, fill.since = transaction.waiters, now
    transaction.waiters = index


@njit(cache=True)
def ask_owner(m, gpu, counts, slices, transactions, fills, fill, home, sectors, way, events, now):
    """A partition lacks sectors that the other owns: a transaction that ends when the owner's answer has crossed."""
    number = dram.take_transaction(transactions)
    transaction = transactions[number]
    transaction.slice, transaction.sectors, transaction.write, transaction.l2 = fill.slice, sectors, 0, way
    transaction.waiters, transaction.channel = 0, NONE
    asked.append(slices[fill.slice], transactions, number)
    index = take_fill(fills)
    messenger = fills[index]
    messenger.request, messenger.line, messenger.sectors, messenger.full, messenger.sm = (
        NONE,
        fill.line,
        sectors,
        0,
        NONE,
    )
    messenger.waiters, messenger.store, messenger.atomic, messenger.promote = 0, 0, 0, fill.promote
    messenger.slice, messenger.payload, messenger.remote = home, popcount(sectors) * 32, number
    messenger.home, messenger.set = home, fill.set
    counts.l2_far += popcount(sectors)
    schedule(events, noc.cross(m, gpu, counts, home * m.partitions // m.l2_slices, 0, now), ARRIVE, index, 0)
    return number


@njit(cache=True)
def promoted(sectors, bytes_):
    """Sectors to fetch for those that miss: whole pieces of 32, 64 or 128 bytes."""
    if bytes_ >= 128:
        return 15
    if bytes_ >= 64:
        return (3 if sectors & 3 else 0) | (12 if sectors & 12 else 0)
    return sectors


@njit(cache=True)
def filled(m, gpu, counts, sms, slices, nodes, l2_lines, transactions, fills, coalescer, events, number, taken, cycle):
    """DRAM has answered: once the slice takes the sectors they are valid, and all who waited get their reply."""
    transaction = transactions[number]
    if transaction.write == 0 and transaction.channel != NONE and not taken:
        start = write_data(slices[transaction.slice], popcount(transaction.sectors) * m.slice_fill_fp, cycle)
        if start > cycle:
            schedule(events, start, DRAM_DONE, number, 1)
            return
    counts.dram_done += 1
    if transaction.write == 0:
        if transaction.l2 != NONE:
            entry = l2_lines[transaction.l2]
            entry.valid |= transaction.sectors
            entry.partial &= ~transaction.sectors
            entry.pending &= ~transaction.sectors
        index = transaction.waiters
        while index:
            fill = fills[index]
            following = fill.next
            extra = m.atomic_latency if fill.atomic else 0
            noc.reply(m, gpu, counts, sms, slices, coalescer, fills, index, events, max(cycle, fill.since) + extra)
            index = following
    slice_ = slices[transaction.slice]
    if transaction.channel == NONE:
        asked.remove(slice_, transactions, number)
    elif transaction.write:
        slice_.writes -= 1
    else:
        slice_.misses -= 1
    offer(m, slices, nodes, fills, events, transaction.slice, cycle)
    dram.free_transaction(transactions, number)
