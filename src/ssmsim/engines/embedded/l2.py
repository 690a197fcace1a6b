"""L2 slices: sectored, write-back, write-allocate by byte mask; misses become DRAM transactions.

A slice looks up one request per L2 clock, in order of arrival; its data array moves slice_bytes_per_cycle for hits and
stores, not for what misses or is only passed on to the other partition. A sector written whole is valid without a fetch; a partly written one
is fetched when it is read, or merged when it is written back. Atomics are done here.
"""

from numba import njit

from ssmsim.engines.embedded import dram, noc
from ssmsim.engines.embedded.coalesce import popcount
from ssmsim.engines.embedded.events import ARRIVE, STORED, schedule
from ssmsim.engines.embedded.l1 import bringer, expect
from ssmsim.engines.embedded.noc import free_fill, take_fill
from ssmsim.engines.embedded.records import FP, INF, NONE
from ssmsim.engines.embedded.stalls import reconsider


@njit(cache=True)
def find(m, l2_lines, slice_, line):
    """Way of the line, or NONE; the way to replace, or NONE when all await data."""
    local = line // m.l2_granule // m.l2_slices * m.l2_granule + line % m.l2_granule  # lines of one slice, in order
    set_ = (local ^ local >> 9 ^ local >> 17) % m.l2_sets
    base = (slice_ * m.l2_sets + set_) * m.l2_ways
    victim, oldest = NONE, INF
    for way in range(base, base + m.l2_ways):
        entry = l2_lines[way]
        if entry.tag == line + 1:
            return way, way
        if entry.pending == 0 and entry.used < oldest:
            victim, oldest = way, entry.used
    return NONE, victim


@njit(cache=True)
def arrive(m, gpu, counts, sms, subs, warps, slices, l2_lines, transactions, channels, fills, coalescer, events, code, stalls, index,
           resumed, cycle):  # fmt: skip
    """A request reaches its slice, or is taken up again as the first of those that wait there."""
    fill = fills[index]
    slice_ = slices[fill.slice]
    queue = 1 if fill.remote else 0
    if resumed:
        slice_.resuming[queue] = 0
    elif slice_.head[queue]:
        fills[slice_.tail[queue]].next = index
        fill.next, slice_.tail[queue] = 0, index
        return
    way, victim = find(m, l2_lines, fill.slice, fill.line)
    if not room(m, slice_, transactions, way, victim, queue):
        counts.l2_retries += 1
        if not resumed:
            fill.next, slice_.head[queue], slice_.tail[queue] = 0, index, index
        return
    if resumed:
        slice_.head[queue] = fill.next
        resume(slice_, events, queue, max(cycle + 1, slice_.free_fp >> FP))
    sectors = popcount(fill.sectors)
    at_home = fill.slice == noc.home_of(m, fill.line)
    busy = max(m.slice_fp, sectors * m.atomic_fp) if fill.atomic and at_home else m.slice_fp
    slice_.free_fp = max(slice_.free_fp, cycle << FP) + busy
    now = max(cycle, (slice_.free_fp - busy) >> FP)
    counts.l2_sectors += sectors
    if not at_home and (fill.store or fill.atomic):
        if way == NONE and victim != NONE and fill.store:
            way = victim
            replace(m, counts, slices, l2_lines, transactions, channels, events, way, fill.line, fill.slice, now)
        if fill.store:
            acknowledge(m, sms, subs, warps, code, stalls, events, fill, now)
        pass_on(m, gpu, counts, l2_lines, fill, index, way, sectors, events, now)
        return
    if way == NONE and victim == NONE:  # for another slice, and every way awaits data: fetch without keeping
        number = dram.push(m, counts, slices, transactions, channels, events, fill.slice, fill.line, fill.sectors, 0,
                           NONE, now)  # fmt: skip
        fill.next, transactions[number].waiters = 0, index
        return
    if way == NONE:
        way = victim
        replace(m, counts, slices, l2_lines, transactions, channels, events, way, fill.line, fill.slice, now)
    entry = l2_lines[way]
    gpu.uses += 1  # order of use, the same for requests that are not timed (functional.py)
    entry.used = gpu.uses
    if fill.store:
        number, clean = fill.slice, entry.dirty == 0
        write(m, counts, sms, l2_lines, fill, entry, sectors)
        schedule(events, max(cycle, move_data(slice_, sectors * m.slice_write_fp, now)), STORED, index, 0)
        if clean:
            write_early(m, counts, slices, l2_lines, transactions, channels, events, way, number, now)
        return
    read(m, gpu, counts, sms, slices, l2_lines, transactions, channels, fills, coalescer, fill, index, entry, way, sectors,
         events, now)  # fmt: skip


@njit(cache=True)
def move_data(slice_, busy, now):
    """Take the data array of a slice for some time (fixed point); the cycle at which that starts."""
    start = max(slice_.data_free_fp, now << FP)
    slice_.data_free_fp = start + busy
    return start >> FP


@njit(cache=True)
def room(m, slice_, transactions, way, victim, queue):
    """Whether a slice can take a request that may miss.

    Requests of other slices wait for DRAM alone, never for a slice's own questions: two slices that wait for each
    other's answers would never go on.
    """
    if slice_.misses >= m.slice_misses or transactions[0].sectors < 4:
        return False
    return queue == 1 or (slice_.asked < m.slice_misses and (way != NONE or victim != NONE))


@njit(cache=True)
def resume(slice_, events, queue, when):
    """Have the first waiting request of a slice tried again."""
    if slice_.head[queue] and not slice_.resuming[queue]:
        slice_.resuming[queue] = 1
        schedule(events, when, ARRIVE, slice_.head[queue], 1)


@njit(cache=True)
def pass_on(m, gpu, counts, l2_lines, fill, index, way, sectors, events, now):
    """A store or atomic for a line that the other partition owns goes through this one.

    ncu counts such sectors in both partitions: 1.50 L2 write sectors for each that the L1s write, in every kernel. A
    store leaves a copy here: read back, it hits near (our microbenchmarks l2_hits: read_back, and l2: near_far).
    """
    if way != NONE and fill.store:
        l2_lines[way].valid |= fill.sectors & fill.full
        gpu.uses += 1
        l2_lines[way].used = gpu.uses
    elif way != NONE:
        l2_lines[way].valid &= ~fill.sectors
    counts.l2_hits += sectors
    if fill.store:
        counts.l2_write_sectors += sectors
    fill.slice = noc.home_of(m, fill.line)
    bytes_ = m.header + fill.payload
    schedule(events, noc.cross(m, gpu, counts, fill.slice * m.partitions // m.l2_slices, bytes_, now), ARRIVE, index, 0)


@njit(cache=True)
def too_dirty(m, l2_lines, way):
    """The way to clean when the set of `way` holds more dirty lines than it may: the one used longest ago, else NONE."""
    set_ = way // m.l2_ways
    dirty, best, oldest = 0, NONE, INF
    for i in range(set_ * m.l2_ways, (set_ + 1) * m.l2_ways):
        entry = l2_lines[i]
        if entry.dirty:
            dirty += 1
            if entry.used < oldest:
                best, oldest = i, entry.used
    return best if 2 * dirty > m.dirty_half_ways + (set_ & 1) else NONE


@njit(cache=True)
def write_early(m, counts, slices, l2_lines, transactions, channels, events, way, slice_, now):
    """Keep part of the cache clean: beyond its share of dirty lines, a store sends the oldest to DRAM (l2_policy)."""
    old = too_dirty(m, l2_lines, way)
    if old != NONE:
        write_back(m, counts, slices, transactions, channels, events, l2_lines[old], slice_, now)


@njit(cache=True)
def write_back(m, counts, slices, transactions, channels, events, entry, slice_, now):
    """Dirty sectors of a line go to DRAM; the line stays."""
    merged = entry.dirty & entry.partial
    if merged:  # ECC covers whole bursts, so the rest is read first
        counts.dram_reads += popcount(merged)
    dram.push(m, counts, slices, transactions, channels, events, slice_, entry.tag - 1, entry.dirty, 1, NONE, now)
    entry.valid |= merged
    entry.dirty, entry.partial = 0, entry.partial & ~merged


@njit(cache=True)
def replace(m, counts, slices, l2_lines, transactions, channels, events, way, line, slice_, now):
    """Give a way to a new line; what was written there goes to DRAM."""
    entry = l2_lines[way]
    if entry.dirty:
        write_back(m, counts, slices, transactions, channels, events, entry, slice_, now)
    entry.tag, entry.valid, entry.pending, entry.dirty, entry.partial = line + 1, 0, 0, 0, 0


@njit(cache=True)
def write(m, counts, sms, l2_lines, fill, entry, sectors):
    """A store: whole sectors become valid, partly written ones are to be merged."""
    counts.l2_write_sectors += sectors
    counts.l2_hits += sectors  # a write never waits: ncu counts it as a hit
    whole = fill.sectors & fill.full
    entry.valid |= whole
    entry.partial = (entry.partial | fill.sectors & ~entry.valid) & ~whole
    entry.dirty |= fill.sectors
    if noc.near_of(m, fill.slice, sms[fill.sm].side) == fill.slice:  # else it came through the copy and updated it
        drop_copy(m, l2_lines, fill)


@njit(cache=True)
def stored(m, sms, subs, warps, code, stalls, fills, events, index, cycle):
    """The owner has taken a store's data: the SM's store buffer has its entry back."""
    fill = fills[index]
    acknowledge(m, sms, subs, warps, code, stalls, events, fill, cycle)
    sms[fill.sm].stores -= 1
    free_fill(fills, index)


@njit(cache=True)
def acknowledge(m, sms, subs, warps, code, stalls, events, fill, cycle):
    """A store has reached its first slice, near its SM (our microbenchmark fence, sc_store): a fence may begin."""
    w = fill.request
    fill.request = NONE
    if w == NONE:
        return
    warp = warps[w]
    warp.acks -= 1
    if warp.acks == 0 and warp.held == NONE:
        warp.held = 0
        warp.stall_end = max(warp.stall_end, cycle + m.reply_latency + m.gpu_fence)
        reconsider(warp, subs[w // m.slots], sms[fill.sm], code, stalls, cycle)


@njit(cache=True)
def drop_copy(m, l2_lines, fill):
    """What the other partition holds of these sectors is stale."""
    if m.far_copies and m.partitions == 2:
        other, _ = find(m, l2_lines, (fill.slice + m.l2_slices // 2) % m.l2_slices, fill.line)
        if other != NONE:
            l2_lines[other].valid &= ~fill.sectors


@njit(cache=True)
def read(m, gpu, counts, sms, slices, l2_lines, transactions, channels, fills, coalescer, fill, index, entry, way,
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
        drop_copy(m, l2_lines, fill)
    if missing == 0:
        extra = m.atomic_latency if fill.atomic else 0
        when = move_data(slices[fill.slice], sectors * m.slice_sector_fp, now)
        noc.reply(m, gpu, counts, sms, coalescer, fills, index, events, when + extra)
        return
    home = noc.home_of(m, fill.line)
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
    fill.next = transaction.waiters
    transaction.waiters = index


@njit(cache=True)
def ask_owner(m, gpu, counts, slices, transactions, fills, fill, home, sectors, way, events, now):
    """A partition lacks sectors that the other owns: a transaction that ends when the owner's answer has crossed."""
    number = dram.take_transaction(transactions)
    transaction = transactions[number]
    transaction.slice, transaction.sectors, transaction.write, transaction.l2 = fill.slice, sectors, 0, way
    transaction.waiters, transaction.channel = 0, NONE
    slices[fill.slice].asked += 1
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
    counts.l2_far += popcount(sectors)
    schedule(events, noc.cross(m, gpu, counts, home * m.partitions // m.l2_slices, m.header, now), ARRIVE, index, 0)
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
def filled(m, gpu, counts, sms, slices, l2_lines, transactions, fills, coalescer, events, number, cycle):
    """DRAM has answered: the sectors are valid, all who waited get their reply."""
    transaction = transactions[number]
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
            noc.reply(m, gpu, counts, sms, coalescer, fills, index, events, cycle + extra)
            index = following
    slice_ = slices[transaction.slice]
    if transaction.channel == NONE:
        slice_.asked -= 1
    else:
        slice_.misses -= 1
    resume(slice_, events, 1, cycle)
    resume(slice_, events, 0, cycle)
    dram.free_transaction(transactions, number)
