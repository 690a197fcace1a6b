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

from ssmsim.engines.embedded import noc
from ssmsim.engines.embedded.coalesce import popcount
from ssmsim.engines.embedded.noc import take_fill
from ssmsim.engines.embedded.records import FP, GLOBAL, LOCAL, NONE
from ssmsim.engines.embedded.tags import find_l1
from ssmsim.engines.embedded.turn import is_load

LOCAL_BASE = 1 << 40  # line numbers of local memory lie above every global address
LOCAL_LINES = 1 << 16  # per warp slot: 8 MB


@njit(cache=True)
def access(m, gpu, counts, sms, s, warp, request, index, one, access_, lines, events, requests, fills, l1_tags,
           l1_lines, cycle):  # fmt: skip
    """Look up all lines of one instruction; cycles that it takes of the tags, -1 when it must try again later.

    request.left counts lines on their way; the request is finished by the last one (fill), or here when all hit.
    """
    sm = sms[s]
    count = access_.lines
    if request.off:  # it finds no queue of others' lines or stores in its way
        request.left, request.last, request.passes = 1, cycle + m.l1_latency, 1
        return 1
    if (
        (sm.misses and sm.misses + count > m.miss_lines)
        or (one.is_store and sm.stores > m.store_bytes)
        or fills[0].payload < 2 * count + 8
    ):
        return -1
    if sm.awaited + count > m.l1_awaited and not (one.is_store or one.bypass or one.is_atomic):
        if sm.awaited + asked(m, s, request, access_, lines, l1_tags, l1_lines) > m.l1_awaited:
            return -1
    request.left, request.last = 1, cycle + m.l1_latency
    took_fp, sent = 0, 0
    for i in range(access_.first_line, access_.first_line + count):
        word = lines[i]
        line, full, sectors = line_of(request, word), (word >> 4) & 15, word & 15
        now = cycle + (took_fp >> FP)
        took_fp += m.tag_fp
        if one.is_store or one.is_atomic:
            counts.l1_sectors += popcount(sectors)
            store(m, gpu, counts, sm, s, warp, request, index, one, line, sectors, full, events, fills,
                             l1_tags, l1_lines, now)  # fmt: skip
        else:
            sent += load(m, gpu, counts, sm, s, request, index, one, line, sectors, events, requests, fills,
                         l1_tags, l1_lines, now)  # fmt: skip
    # the data banks are those of shared memory: our microbenchmark l1/latency_capacity_bandwidth, ldg32_far
    passes = (access_.wavefronts * m.wavefront_fp + (1 << FP) - 1) >> FP
    request.last += max(0, passes - 1)
    request.passes, took = max(1, passes), (took_fp + (1 << FP) - 1) >> FP
    if is_load(request, one):  # it asks for a line per cycle, and each passes like a wavefront when it is there: bursts
        took = max(took, sent)
        if request.left > 1:
            request.passes = count * m.wavefront_fp + (1 << FP) - 1 >> FP
    if one.is_store:  # until its port has room; shared memory is served meanwhile: mixes and local (both64)
        took = max(took, (max(sm.store_free_fp, sm.request_free_fp) >> FP) - m.store_backlog - cycle)
    return took


@njit(cache=True)
def line_of(request, word):
    """Number of a line of the pool; every warp has local memory of its own."""
    return (word >> 8) + (LOCAL_BASE + request.warp * LOCAL_LINES if request.space == LOCAL else 0)


@njit(cache=True)
def asked(m, s, request, access_, lines, l1_tags, l1_lines):
    """Lines of an access that nobody awaits yet and that are not there whole."""
    number = 0
    for i in range(access_.first_line, access_.first_line + access_.lines):
        way, _ = find_l1(m, l1_tags, l1_lines, s, line_of(request, lines[i]))
        number += way == NONE or (l1_lines[way].pending == 0 and lines[i] & 15 & ~l1_lines[way].valid != 0)
    return number


@njit(cache=True)
def load(m, gpu, counts, sm, s, request, index, one, line, sectors, events, requests, fills, l1_tags, l1_lines,
         now):  # fmt: skip
    """One line of a load: hit, wait for what is on its way, or ask the L2 for the missing sectors; 1 when it asks."""
    wanted = popcount(sectors)
    counts.l1_sectors += wanted
    counts.l1_load_sectors += wanted
    request.last = max(request.last, now + m.l1_latency)
    if one.bypass:
        request.left += 1
        miss(m, gpu, counts, sm, s, index, line, sectors, 0, NONE, one, 0, events, fills, now)
        return 1
    way, victim = find_l1(m, l1_tags, l1_lines, s, line)
    if way == NONE and victim != NONE:
        way = victim
        replace(l1_tags[way], l1_lines[way], line)
    if way == NONE:  # every way awaits data: fetch without keeping
        request.left += 1
        sm.awaited += 1
        request.room += 1
        miss(m, gpu, counts, sm, s, index, line, sectors, 0, NONE, one, 0, events, fills, now)
        return 1
    entry = l1_lines[way]
    l1_tags[way].used = now
    present = popcount(sectors & (entry.valid | entry.pending))
    counts.l1_hits += present
    counts.l1_load_hits += present
    missing = sectors & ~entry.valid & ~entry.pending
    if missing:
        request.left += 1
        if entry.pending == 0:  # the place is the first's; sectors that others ask for meanwhile need none
            sm.awaited += 1
            request.room += 1
        entry.pending |= missing
        fill = miss(m, gpu, counts, sm, s, index, line, missing, 0, way, one, 0, events, fills, now)
        expect(entry, missing, fill)
    elif sectors & entry.pending:
        request.left += 1
        wait_for(fills, bringer(entry, sectors), index)
    return 1 if missing else 0


@njit(cache=True)
def expect(entry, sectors, who):
    """Note who brings these sectors of a line."""
    for sector in range(4):
        if sectors >> sector & 1:
            entry.awaited[sector] = who


@njit(cache=True)
def bringer(entry, sectors):
    """Who brings the last of the sectors that are on their way. Sectors asked for apart may come apart: one is enough."""
    who = 0
    for sector in range(4):
        if sectors & entry.pending & 1 << sector:
            who = entry.awaited[sector]
    return who


@njit(cache=True)
def wait_for(fills, primary, request):
    """A later request waits for a line that is on its way."""
    index = take_fill(fills)
    node = fills[index]
    node.request, node.next = request, fills[primary].waiters
    fills[primary].waiters = index


@njit(cache=True)
def miss(m, gpu, counts, sm, s, request, line, sectors, full, way, one, store_, events, fills, now):
    """Send a line's sectors on their way; returns its entry."""
    index = take_fill(fills)
    fill = fills[index]
    fill.request, fill.line, fill.sectors, fill.full, fill.sm, fill.way = request, line, sectors, full, s, way
    fill.waiters, fill.store, fill.atomic, fill.promote = 0, store_, one.is_atomic, one.promote
    fill.payload = popcount(sectors) * 32
    if store_ and not one.is_atomic:
        fill.payload += 32 * masked(sectors, full)
    if store_ == 0:
        sm.misses += 1
        counts.l1_fills += 1
    else:
        sm.stores += fill.payload
    noc.send(m, gpu, counts, sm, fill, index, events, now + m.l1_latency // 2)
    return index


@njit(cache=True)
def store(m, gpu, counts, sm, s, warp, request, index, one, line, sectors, full, events, fills, l1_tags, l1_lines,
          now):  # fmt: skip
    """One line of a store or atomic; its data take their time on the way out."""
    way, victim = find_l1(m, l1_tags, l1_lines, s, line)
    if way == NONE and victim != NONE and not one.is_atomic:
        way = victim
        replace(l1_tags[way], l1_lines[way], line)
    if way != NONE:
        entry = l1_lines[way]
        counts.l1_hits += popcount(sectors & (entry.valid | entry.stored))
        if one.is_atomic:
            entry.valid &= ~sectors  # atomics are done in L2, the copy here is stale
        elif request.space == LOCAL:
            entry.valid |= sectors
        else:
            entry.stored |= sectors
        l1_tags[way].used = now
    if one.is_atomic and not one.is_store:
        request.left += 1
        miss(m, gpu, counts, sm, s, index, line, sectors, 0, NONE, one, 0, events, fills, now)
    else:
        who = request.warp if request.space == GLOBAL else NONE  # no fence waits for local memory
        miss(m, gpu, counts, sm, s, who, line, sectors, full, NONE, one, 1, events, fills, now)
    flits = popcount(sectors) + (0 if one.is_atomic else masked(sectors, full))
    sm.store_free_fp = max(sm.store_free_fp, now << FP) + flits * m.store_fp


@njit(cache=True, forceinline=True)
def masked(sectors, full):
    """1 when a store writes sectors in part: which bytes takes 32 bytes more (our microbenchmark l2/partial_sector_store_throughput).

    A store of lines of four such sectors takes 5 cycles of the SM's port, of one 2, of four whole ones 4; slices likewise.
    """
    return 1 if sectors & ~full else 0


@njit(cache=True)
def replace(tag, entry, line):
    """Give a way to a new line."""
    tag.line, entry.valid, entry.pending, entry.stored = line + 1, 0, 0, 0
