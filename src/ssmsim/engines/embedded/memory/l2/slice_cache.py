"""L2 slices: sectored, misses become DRAM transactions.

A slice looks up one request per L2 clock, in order of arrival; its data array gives slice_bytes_per_cycle for hits, and
through a port of its own takes what stores (writes.py) and DRAM bring, not what is only passed on to the other
partition. Atomics have a unit of their own (atomics.py).
"""

from numba import njit

from ssmsim.architecture import ALL_SECTORS, LINE_BYTES, SECTOR_BYTES, SECTORS_PER_LINE
from ssmsim.engines.embedded.bitmask import popcount
from ssmsim.engines.embedded.event_queue import ARRIVE, DRAM_DONE, STORED, schedule
from ssmsim.engines.embedded.memory import dram, noc
from ssmsim.engines.embedded.memory.l2 import atomics, cross_partition, slice_queues, writes
from ssmsim.engines.embedded.memory.line_state import add_l2, drop, fill_l2, missing_of, store_copy, use_l2
from ssmsim.engines.embedded.memory.noc import UNANSWERED, take_fill
from ssmsim.engines.embedded.memory.tag_store import bringer, expect, first_way, search
from ssmsim.engines.embedded.state.records import FP, NONE, record

# words: those written of the sectors that are partial, WORDS_PER_SECTOR bits each (line_state.py).
L2_LINE = record("valid", "pending", "dirty", "partial", "words", ("awaited", SECTORS_PER_LINE))

SLICE = record(
    "free_fp",
    "data_free_fp",
    "write_free_fp",
    "add_free_fp",
    ("link_fp", 32),  # when the link to each GPC is free
    "coming_fp",  # time of the unit that additions on the link will take
    "misses",
    "writes",
    "choosable",  # reads among which its channels choose
    "first_queued",  # reads that wait to be among them
    "last_queued",
    "asked",
    "first_asked",
    "last_asked",
    "waiting",
    "atomic_line",
    "atomic_sectors",
    "atomic_start_fp",
    ("resuming", 4),  # of each kind of queue
)


@njit(cache=True)
def arrive(m, chip, cores, memory, index, resumed, cycle):
    """A request reaches its slice, or is taken up again as the first of those that wait there (resumed: 1 + its queue)."""
    fill = memory.fills[index]
    slice_ = memory.slices[fill.slice]
    kind = in_turn(m, chip, cores, memory, index, resumed, cycle)
    if kind == NONE:
        return
    way, victim = search(
        m.l2_replacement, memory.l2_tags, memory.l2_lines, first_way(m, fill, fill.slice), m.l2.ways, fill.line
    )
    if not room(m, slice_, memory.transactions, way, victim, kind):
        if fill.request == UNANSWERED and resumed == 0:  # dropped: microbenchmark tma/l2_prefetch, bulk.16384.dram.132
            noc.free_fill(memory.fills, index)
            return
        wait_for_room(m, chip, cores, memory, index, kind, resumed, cycle)
        return
    at_home = fill.slice == fill.home
    slice_.free_fp = max(slice_.free_fp, cycle << FP)
    now = taken = slice_.free_fp >> FP
    slice_.free_fp += (
        max(m.l2.slice_interval_cycles_fp, atomics.arriving(m, cores.sms, fill))
        if fill.atomic
        else m.l2.slice_interval_cycles_fp
    )
    if resumed:
        slice_queues.take(m, memory.slices, memory.nodes, memory.fills, fill.slice, kind)
        resume(m, memory.slices, memory.nodes, chip.events, fill.slice, kind, max(cycle + 1, slice_.free_fp >> FP))
    sectors = popcount(fill.sectors)
    if fill.atomic:
        if at_home:
            now = atomics.begin(m, slice_, fill, sectors, now)
        atomics.hold(m, slice_, memory.slices[fill.home], fill, sectors, at_home)
    chip.counts.l2_sectors += sectors
    if not at_home and (fill.store or fill.atomic):
        to_owner(m, chip, memory, index, way, victim, now)
    elif way == NONE and victim == NONE and fill.store:
        writes.write_past(m, chip, memory, index, now)
    elif way == NONE and victim == NONE:  # for another slice, and every way awaits data: fetch without keeping
        number = dram.read(m, chip, memory, fill.slice, fill.line, fill.sectors, NONE, now)
        fill.next, fill.since, memory.transactions[number].waiters = 0, now, index
    else:
        if way == NONE:
            way = victim
            writes.replace(m, chip, memory, way, fill.line, fill.slice, now)
        use(m, chip, cores, memory, index, way, taken, now)


@njit(cache=True, forceinline=True)
def in_turn(m, chip, cores, memory, index, resumed, cycle):
    """Kind of queue of a request whose turn it is; NONE when it has joined another one or has to wait."""
    fill = memory.fills[index]
    slice_ = memory.slices[fill.slice]
    kind = slice_queues.kind_of(fill)
    if resumed:
        kind = resumed - 1
        slice_.resuming[kind] = 0
        return kind
    fill.since = cycle
    if fill.passed and fill.slice == fill.home:
        atomics.arrived(m, slice_, popcount(fill.sectors))
    alone = fill.remote or fill.store or fill.atomic or fill.merged or fill.request == UNANSWERED
    if (
        m.noc.coalescer_entries_per_gpc
        and not alone
        and noc.join(m, chip, memory, cores.sms[fill.sm], fill, index, cycle)
    ):
        return NONE
    behind = slice_queues.to_wait_in(m, slice_, memory.nodes, fill, kind, cycle)
    if behind == NONE:
        return kind
    first = slice_queues.front(m, memory.nodes, fill.slice, behind) == 0
    slice_queues.wait(m, cores.sms, memory.slices, memory.nodes, memory.fills, index, behind)
    if first:
        resume(m, memory.slices, memory.nodes, chip.events, fill.slice, behind, slice_.free_fp >> FP)
    return NONE


@njit(cache=True)
def wait_for_room(m, chip, cores, memory, index, kind, resumed, cycle):
    """A request that may miss finds no room: loads go to the queue of those, others stay where they are."""
    number, nodes = memory.fills[index].slice, memory.nodes
    chip.counts.l2_retries += 1
    if resumed and kind == slice_queues.LOADS:
        slice_queues.take(m, memory.slices, nodes, memory.fills, number, kind)
        resume(m, memory.slices, nodes, chip.events, number, kind, cycle + 1)
    if not resumed or kind == slice_queues.LOADS:
        queue = slice_queues.MISSES if kind == slice_queues.LOADS else kind
        slice_queues.wait(m, cores.sms, memory.slices, nodes, memory.fills, index, queue)


@njit(cache=True, forceinline=True)
def to_owner(m, chip, memory, index, way, victim, now):
    """A store or an atomic on its way to the slice that owns its line; a store leaves its line's place here."""
    fill = memory.fills[index]
    if way == NONE and victim != NONE and fill.store:
        way = victim
        writes.replace(m, chip, memory, way, fill.line, fill.slice, now)
    if fill.store:
        schedule(chip.events, now, STORED, index, 1)
    pass_on(m, chip, memory, fill, index, way, popcount(fill.sectors), now)


@njit(cache=True, forceinline=True)
def use(m, chip, cores, memory, index, way, taken, now):
    """A request has its way of the cache: a store writes there, all else reads. taken: when it passed the port."""
    fill, entry = memory.fills[index], memory.l2_lines[way]
    use_l2(chip.run, memory.l2_tags[way])
    if fill.store:
        number, clean = fill.slice, entry.dirty == 0
        writes.write(m, chip.counts, cores.sms, memory.l2_tags, memory.l2_lines, fill, entry, popcount(fill.sectors))
        start = (
            taken
            if fill.atomic
            else write_data(memory.slices[number], fill.payload * m.slice_write_fp // SECTOR_BYTES, now)
        )
        schedule(chip.events, start, STORED, index, 0)
        if clean:
            writes.write_early(m, chip, memory, way, number, now)
        return
    read(m, chip, cores, memory, index, way, now)


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
    if max(slice_.misses, slice_.writes) >= m.l2.miss_lines_per_slice or transactions[0].sectors < 4:
        return False
    return kind == slice_queues.QUESTIONS or (
        slice_.asked < m.l2.miss_lines_per_slice and (way != NONE or victim != NONE)
    )


@njit(cache=True)
def resume(m, slices, nodes, events, number, kind, when):
    """Have the waiting request of a slice that is next tried again."""
    index = slice_queues.front(m, nodes, number, kind)
    if index and not slices[number].resuming[kind]:
        slices[number].resuming[kind] = 1
        schedule(events, when, ARRIVE, index, kind + 1)


@njit(cache=True)
def offer(m, slices, nodes, fills, events, number, cycle):
    """A slice has room again: of the other partition's questions and its own misses the older goes first.

    With questions first the SMs of one partition ended a stream of reads 9 % before the others; on the GPU all are within
    5 % (the kernels of our microbenchmark dram/bandwidth, streams, with the ends of their blocks).
    """
    question, miss = (
        slice_queues.front(m, nodes, number, slice_queues.QUESTIONS),
        slice_queues.front(m, nodes, number, slice_queues.MISSES),
    )
    if miss and question and fills[miss].since < fills[question].since:
        resume(m, slices, nodes, events, number, slice_queues.MISSES, cycle)
    for kind in (slice_queues.QUESTIONS, slice_queues.MISSES, slice_queues.LOADS, slice_queues.STORES):
        resume(m, slices, nodes, events, number, kind, cycle)


@njit(cache=True)
def pass_on(m, chip, memory, fill, index, way, sectors, now):
    """A store or atomic for a line that the other partition owns goes through this one.

    ncu counts such sectors in both partitions: 1.50 L2 write sectors for each that the L1s write, in every kernel. A
    store leaves a copy here: read back, it hits near (our microbenchmarks l2/partition_hit_traffic: read_back, and
    l2/latency_bandwidth: near_far).
    """
    if way != NONE and fill.store:
        store_copy(memory.l2_lines[way], fill.sectors, fill.full)
        use_l2(chip.run, memory.l2_tags[way])
    elif way != NONE:
        drop(memory.l2_lines[way], fill.sectors)
    chip.counts.l2_hits += sectors
    if fill.store:
        chip.counts.l2_write_sectors += sectors
    fill.slice = fill.home
    bytes_ = m.noc.header_bytes + fill.payload
    schedule(
        chip.events,
        noc.cross(m, chip.run, chip.counts, fill.slice * m.l2.partitions // m.l2.slices, bytes_, now),
        ARRIVE,
        index,
        0,
    )


@njit(cache=True)
def read(m, chip, cores, memory, index, way, now):
    """A load or a returning atomic: answer, or wait for DRAM."""
    fill, entry = memory.fills[index], memory.l2_lines[way]
    sectors = popcount(fill.sectors)
    missing = fill.sectors & ~entry.valid
    hits = sectors - popcount(missing_of(entry, fill.sectors))  # a tag that is there hits, also before its data are
    if not fill.atomic:
        chip.counts.l2_read_sectors += sectors
        chip.counts.l2_read_hits += hits
    chip.counts.l2_hits += hits
    if fill.atomic:
        add_l2(entry, fill.sectors)
        writes.drop_copy(m, memory.l2_tags, memory.l2_lines, fill)
    if missing == 0:
        extra = m.l2.atomic_latency_cycles if fill.atomic else 0
        when = move_data(memory.slices[fill.slice], sectors * m.slice_sector_fp, now)
        before = cross_partition.holds_up(m, memory.slices[fill.slice], memory.transactions, fill)
        if before:
            fill.next, fill.since = memory.transactions[before].waiters, when
            memory.transactions[before].waiters = index
            return
        noc.reply(m, chip, cores, memory, index, when + extra)
        return
    home = fill.home
    if fill.slice != home:
        fetch = missing_of(entry, fill.sectors)
        if fetch:
            entry.pending |= fetch
            number = ask_owner(m, chip, memory, fill, home, fetch, way, now)
            expect(entry, fetch, number)
    else:
        fetch = missing_of(entry, promoted(missing, max(m.l2.fetch_bytes, fill.promote)))
        if fetch:
            entry.pending |= fetch
            number = dram.read(m, chip, memory, home, fill.line, fetch, way, now)
            expect(entry, fetch, number)
    transaction = memory.transactions[bringer(entry, missing)]
    fill.next, fill.since = transaction.waiters, now
    transaction.waiters = index


@njit(cache=True)
def ask_owner(m, chip, memory, fill, home, sectors, way, now):
    """A partition lacks sectors that the other owns: a transaction that ends when the owner's answer has crossed."""
    number = dram.take_transaction(memory.transactions)
    transaction = memory.transactions[number]
    transaction.slice, transaction.sectors, transaction.write, transaction.l2 = fill.slice, sectors, 0, way
    transaction.waiters, transaction.channel = 0, NONE
    cross_partition.append(memory.slices[fill.slice], memory.transactions, number)
    index = take_fill(memory.fills)
    messenger = memory.fills[index]
    messenger.request, messenger.line, messenger.sectors, messenger.full, messenger.sm = (
        NONE,
        fill.line,
        sectors,
        0,
        NONE,
    )
    messenger.waiters, messenger.store, messenger.atomic, messenger.promote = 0, 0, 0, fill.promote
    messenger.slice, messenger.payload, messenger.remote = home, popcount(sectors) * SECTOR_BYTES, number
    messenger.home, messenger.set = home, fill.set
    chip.counts.l2_far += popcount(sectors)
    schedule(
        chip.events,
        noc.cross(m, chip.run, chip.counts, home * m.l2.partitions // m.l2.slices, 0, now),
        ARRIVE,
        index,
        0,
    )
    return number


@njit(cache=True)
def promoted(sectors, bytes_):
    """Sectors to fetch for those that miss: whole pieces of 32, 64 or 128 bytes."""
    if bytes_ >= LINE_BYTES:
        return ALL_SECTORS
    if bytes_ >= 2 * SECTOR_BYTES:
        return (3 if sectors & 3 else 0) | (12 if sectors & 12 else 0)
    return sectors


@njit(cache=True)
def filled(m, chip, cores, memory, number, taken, cycle):
    """DRAM has answered: once the slice takes the sectors they are valid, and all who waited get their reply."""
    transaction = memory.transactions[number]
    if transaction.write == 0 and transaction.channel != NONE and not taken:
        start = write_data(memory.slices[transaction.slice], popcount(transaction.sectors) * m.slice_fill_fp, cycle)
        if start > cycle:
            schedule(chip.events, start, DRAM_DONE, number, 1)
            return
    chip.counts.dram_done += 1
    if transaction.write == 0:
        if transaction.l2 != NONE:
            fill_l2(memory.l2_lines[transaction.l2], transaction.sectors)
        index = transaction.waiters
        while index:
            fill = memory.fills[index]
            following = fill.next
            extra = m.l2.atomic_latency_cycles if fill.atomic else 0
            noc.reply(m, chip, cores, memory, index, max(cycle, fill.since) + extra)
            index = following
    slice_ = memory.slices[transaction.slice]
    if transaction.channel == NONE:
        cross_partition.remove(slice_, memory.transactions, number)
    elif transaction.write:
        slice_.writes -= 1
    else:
        slice_.misses -= 1
    offer(m, memory.slices, memory.nodes, memory.fills, chip.events, transaction.slice, cycle)
    dram.free_transaction(memory.transactions, number)
