"""L1 data cache: sectored, write-through; global copies marked BYPASS do not allocate.

Lines are looked up at tags_per_cycle; a miss takes an entry until its sectors return, a second access to a sector on
its way waits for the same entry. Data that come need a place, which is kept until the load
or the copy that asked for the line has been answered, in its warp's order. When as many places as the L1 holds lines,
and some more, are taken, the next that misses waits, and whatever is behind it in the SM's unit (our microbenchmark
sm_memory/lsu_outstanding_misses: tight, roomy; copies past the L1 need none). By hand, on an H100 with 21 KB of L1:
nine warps await a load each from the host's memory, behind which 24 lines of each are there already; a load of another
warp waits for their answers, and not with seven such warps, behind loads and copies alike. A store takes a way, too; a
later one to a sector that it wrote counts as a hit, loads do not hit it (ncu: of the store sectors of torch's
reductions, four stores to the same 32 bytes, 0.750 hit); that the line which was there is lost is assumed. Local memory
is written through as well, but loads hit what was stored (our microbenchmark l1/local_memory_throughput: 32 B per cycle
and SM, and the L2 counts all; ncu: it takes 99.6 % of the local sectors that selective_scan_bwd of mamba1-2.8b stores).
That stores to one line which follow each other at once are put together (l1/local_memory_throughput: again1) is left
out.
"""

from numba import njit

from ssmsim.architecture import SECTOR_BYTES
from ssmsim.engines.embedded.bitmask import popcount
from ssmsim.engines.embedded.event_queue import SIGNAL, schedule
from ssmsim.engines.embedded.feed import line_word
from ssmsim.engines.embedded.feed.line_word import full_of, sectors_of
from ssmsim.engines.embedded.memory import noc
from ssmsim.engines.embedded.memory.line_state import allocate_l1, missing_of, store_l1
from ssmsim.engines.embedded.memory.noc import take_fill, wait_for
from ssmsim.engines.embedded.memory.tag_store import bringer, expect, find_l1
from ssmsim.engines.embedded.sm.instruction import GLOBAL, LOCAL
from ssmsim.engines.embedded.sm.memory import prefetch_buffer
from ssmsim.engines.embedded.sm.memory.arbiter import is_load
from ssmsim.engines.embedded.state.records import FP, NONE, record

LOCAL_BASE = 1 << 40  # line numbers of local memory lie above every global address
LOCAL_LINES = 1 << 16  # per warp slot: 8 MB

# What a way holds: sectors valid, on their way and (L1) written; for each sector on its way, who brings it.
L1_LINE = record("valid", "pending", "stored", ("awaited", 4))


@njit(cache=True)
def access(m, chip, cores, memory, s, index, cycle):
    """Look up all lines of one instruction; cycles that it takes of the tags, -1 when it must try again later.

    request.left counts lines on their way; the request is finished by the last one (fill), or here when all hit.
    """
    sm, request = cores.sms[s], cores.requests[index]
    one, access_ = cores.code[request.code], cores.accesses[request.access]
    count = access_.lines
    if request.off:  # it finds no queue of others' lines or stores in its way
        request.left, request.last, request.passes = 1, cycle + m.l1_latency, 1
        return 1
    if not has_room(m, cores, memory, s, index):
        return -1
    request.left, request.last = 1, cycle + m.l1_latency
    took_fp, sent = 0, 0
    for i in range(access_.first_line, access_.first_line + count):
        now = cycle + (took_fp >> FP)
        took_fp += m.tag_fp
        if one.is_store or one.is_atomic:
            chip.counts.l1_sectors += popcount(sectors_of(cores.lines[i]))
            store(m, chip, cores, memory, sm, index, i, now)
        else:
            sent += load(m, chip, cores, memory, sm, index, cores.lines[i], now)
    if access_.signals:
        schedule(chip.events, cycle + m.request_latency, SIGNAL, access_.signals, 0)
    # the data banks are those of shared memory: our microbenchmark l1/latency_capacity_bandwidth, ldg32_far
    passes = (access_.wavefronts * m.wavefront_fp + (1 << FP) - 1) >> FP
    request.last += max(0, passes - 1)
    request.passes, took = max(1, passes), (took_fp + (1 << FP) - 1) >> FP
    if is_load(request, one):  # it asks for a line per cycle, and each passes like a wavefront when it is there: bursts
        took = max(took, sent)
        if request.left > 1:
            request.passes = count * m.wavefront_fp + (1 << FP) - 1 >> FP
    if one.is_store:  # until its port has room; shared memory is served meanwhile: mixes and local (both64)
        took = max(took, (max(sm.store_free_fp, sm.request_free_fp) >> FP) - m.l1.store_backlog_cycles - cycle)
    return took


@njit(cache=True, forceinline=True)
def has_room(m, cores, memory, s, index):
    """Whether there are MSHRs, bytes of stores and places for lines that an access may need."""
    sm, request = cores.sms[s], cores.requests[index]
    one, access_ = cores.code[request.code], cores.accesses[request.access]
    count = access_.lines
    if sm.misses and sm.misses + count > m.l1.miss_lines:
        return False
    if (one.is_store and sm.stores > m.l1.store_bytes) or memory.fills[0].payload < 2 * count + 8:
        return False
    if sm.awaited + count > m.l1_awaited and not (one.is_store or one.bypass or one.is_atomic):
        return sm.awaited + asked(m, s, request, access_, cores.lines, cores.l1_tags, cores.l1_lines) <= m.l1_awaited
    return True


@njit(cache=True)
def line_of(request, word):
    """Number of a line of the pool; every warp has local memory of its own."""
    return line_word.line_of(word) + (LOCAL_BASE + request.warp * LOCAL_LINES if request.space == LOCAL else 0)


@njit(cache=True)
def asked(m, s, request, access_, lines, l1_tags, l1_lines):
    """Lines of an access that nobody awaits yet and that are not there whole."""
    number = 0
    for i in range(access_.first_line, access_.first_line + access_.lines):
        way, _ = find_l1(m, l1_tags, l1_lines, s, line_of(request, lines[i]))
        number += way == NONE or (l1_lines[way].pending == 0 and missing_of(l1_lines[way], sectors_of(lines[i])) != 0)
    return number


@njit(cache=True)
def load(m, chip, cores, memory, sm, index, word, now):
    """One line of a load: hit, wait for what is on its way, or ask the L2 for the missing sectors; 1 when it asks."""
    request, counts = cores.requests[index], chip.counts
    bypass, line, sectors = cores.code[request.code].bypass, line_of(request, word), sectors_of(word)
    wanted = popcount(sectors)
    counts.l1_sectors += wanted
    counts.l1_load_sectors += wanted
    request.last = max(request.last, now + m.l1_latency)
    if m.prefetch_places and prefetch_buffer.use(m, chip, cores, memory, sm, index, word, now):
        return 0
    if bypass:
        request.left += 1
        send(m, chip, memory, sm, miss(cores, memory, sm, index, line, sectors), now)
        return 1
    way, victim = find_l1(m, cores.l1_tags, cores.l1_lines, sm.number, line)
    if way == NONE and victim != NONE:
        way = victim
        allocate_l1(cores.l1_tags[way], cores.l1_lines[way], line)
    if way == NONE:  # every way awaits data: fetch without keeping
        request.left += 1
        sm.awaited += 1
        request.room += 1
        send(m, chip, memory, sm, miss(cores, memory, sm, index, line, sectors), now)
        return 1
    entry = cores.l1_lines[way]
    cores.l1_tags[way].used = now
    present = popcount(sectors & (entry.valid | entry.pending))
    counts.l1_hits += present
    counts.l1_load_hits += present
    missing = missing_of(entry, sectors)
    if missing:
        request.left += 1
        if entry.pending == 0:  # the place is the first's; sectors that others ask for meanwhile need none
            sm.awaited += 1
            request.room += 1
        entry.pending |= missing
        number = miss(cores, memory, sm, index, line, missing)
        memory.fills[number].way = way
        send(m, chip, memory, sm, number, now)
        expect(entry, missing, number)
    elif sectors & entry.pending:
        request.left += 1
        wait_for(memory.fills, bringer(entry, sectors), index)
    return 1 if missing else 0


@njit(cache=True)
def miss(cores, memory, sm, index, line, sectors):
    """An entry for sectors of a line that a request asks the L2 for; its number."""
    number = take_fill(memory.fills)
    fill, one = memory.fills[number], cores.code[cores.requests[index].code]
    fill.request, fill.line, fill.sectors, fill.full, fill.sm, fill.way = index, line, sectors, 0, sm.number, NONE
    fill.waiters, fill.store, fill.atomic, fill.promote = 0, 0, one.is_atomic, one.promote
    fill.payload, fill.alone = popcount(sectors) * SECTOR_BYTES, 0
    return number


@njit(cache=True)
def send(m, chip, memory, sm, number, now):
    """Send an entry on its way."""
    fill = memory.fills[number]
    if fill.store == 0:
        sm.misses += 1
        chip.counts.l1_fills += 1
    else:
        sm.stores += fill.payload
    noc.send(m, chip.run, chip.counts, sm, fill, number, chip.events, now + m.l1_latency // 2)


@njit(cache=True)
def store(m, chip, cores, memory, sm, index, place, now):
    """One line of a store or atomic, the word of the pool at `place`; its data take their time on the way out."""
    request, word = cores.requests[index], cores.lines[place]
    one, line = cores.code[request.code], line_of(request, word)
    access_ = cores.accesses[request.access]
    full, sectors = full_of(word), sectors_of(word)
    way, victim = find_l1(m, cores.l1_tags, cores.l1_lines, sm.number, line)
    if way == NONE and victim != NONE and not one.is_atomic:
        way = victim
        allocate_l1(cores.l1_tags[way], cores.l1_lines[way], line)
    if way != NONE:
        entry = cores.l1_lines[way]
        chip.counts.l1_hits += popcount(sectors & (entry.valid | entry.stored))
        store_l1(entry, sectors, one.is_atomic, request.space == LOCAL)
        cores.l1_tags[way].used = now
    number = miss(cores, memory, sm, index, line, sectors)
    fill, masks = memory.fills[number], 0 if one.is_atomic else masked(sectors, full)
    if one.is_atomic:
        fill.alone = access_.words >> place - access_.first_line & 1
    if one.is_store:
        fill.request = request.warp if request.space == GLOBAL else NONE  # no fence waits for local memory
        fill.full, fill.store, fill.words = full, 1, 0 if one.is_atomic else access_.words
        fill.payload += SECTOR_BYTES * masks
    else:
        request.left += 1
    send(m, chip, memory, sm, number, now)
    sm.store_free_fp = max(sm.store_free_fp, now << FP) + (popcount(sectors) + masks) * m.store_fp


@njit(cache=True, forceinline=True)
def masked(sectors, full):
    """1 when a store writes sectors in part: which bytes takes 32 bytes more.

    Microbenchmark l2/partial_sector_store_throughput.

    A store of lines of four such sectors takes 5 cycles of the SM's port, of one 2, of four whole ones 4; slices likewise.
    """
    return 1 if sectors & ~full else 0
