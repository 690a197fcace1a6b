"""Crossbar: SMs and GPCs have request ports of limited width, each slice a link to each GPC; the partitions share one.

Requests of loads take a flit, stores those of their data and atomics one more; replies carry sectors, to an SM behind a
header. A line is owned by one slice (address_map.py); the other partition costs the far latency (arXiv 2402.13499:
bimodal hits). With far_copies a partition keeps copies of lines that the other owns, as our microbenchmark
l2/partition_hit_traffic shows for the H200.
"""

from numba import njit

from ssmsim.engines.embedded.bitmask import scramble
from ssmsim.engines.embedded.event_queue import ARRIVE, DRAM_DONE, FILL, REPLY, schedule
from ssmsim.engines.embedded.memory.address_map import home_of
from ssmsim.engines.embedded.memory.tag_store import set_in_slice
from ssmsim.engines.embedded.state.records import FP, NONE, PORT_FP, record

PER_PORT = 1 << PORT_FP - FP  # a port's cycles per byte have more fraction bits than times
UNANSWERED = NONE - 1  # the request of a prefetch into the L2, whose end no SM is told
GOLDEN = 79  # of DISTANCES: multiples of the golden section lie evenly on a ring

DISTANCES = 128  # of slices, from the nearest to the farthest

# A line on its way from or to an SM.
TRANSFER = record(
    "next", "line", "sectors", "slice", "home", "set", "store", "atomic",  # set: of the slice, as tag_store.py counts them
    "remote", "payload", "sm", "request", "way", "full", "waiters", "promote", "merged", "merges", "port", "since", "stale",
    "words",  # of a store that writes sectors in part, see feed/coalesce.py
    "alone",  # an atomic of one lane
    "passed",  # an atomic that has been through the other partition
    whole_lines=True,
)  # fmt: skip

# A load on its way from a GPC to the L2, as the request coalescer knows it: when it is answered (0: not yet), until when
# others may join it.
COALESCED = record("line", "first", "answered", "closes")


@njit(cache=True)
def take_fill(fills):
    """An entry of the free list; the L1 makes sure that there is one."""
    index = fills[0].next
    fills[0].next = fills[index].next
    fills[0].payload -= 1
    return index


@njit(cache=True)
def free_fill(fills, index):
    fills[index].next = fills[0].next
    fills[0].next = index
    fills[0].payload += 1


@njit(cache=True)
def wait_for(fills, primary, request):
    """A later request waits for a line that is on its way."""
    index = take_fill(fills)
    node = fills[index]
    node.request, node.next = request, fills[primary].waiters
    fills[primary].waiters = index


@njit(cache=True)
def near_of(m, home, side):
    """Slice of the same place in the partition `side`."""
    per_side = m.l2.slices // m.l2.partitions
    return home % per_side + per_side * side


@njit(cache=True, forceinline=True)
def distance(m, gpc, slice_):
    """Cycles that this slice lies nearer (below 0) or farther than the mean, as seen from a GPC.

    Our microbenchmark l2/latency_bandwidth, lines: single hits take 282 to 371 cycles, half of them 305 to 336. What
    asks for many lines waits for the farthest: four take 346 cycles a load, 16 366 and 32 395 (l1/miss_throughput:
    rows4.1, pairs16.1, rows32.1). Which slice is how far is not known: those that follow each other are spread evenly
    over the distances, for each GPC from another on.
    """
    return m.distances[(slice_ * GOLDEN + scramble(gpc + 1)) % DISTANCES]


@njit(cache=True)
def join(m, chip, memory, sm, fill, index, now):
    """L2 request coalescer of a GPC, before the slices: a load joins one for the same sectors. True when it did.

    Nsight Compute's documentation names the unit (LRC). Loads of any SMs of a GPC meet, up to four share one request and the
    fifth begins another. One can be joined until its slice answers, and `window` cycles longer: of loads that hit in the L2
    those meet that come up to 67 cycles apart, however long the answer then waits for the link to their GPC; of loads
    from DRAM, and where slices are busy, those that come as much more apart as the slice takes longer (our
    microbenchmark noc/request_coalescing). The answer passes the link once for all of them: noc/multicast_bandwidth,
    where SMs that share lines get 990 B per cycle, and others 645.
    """
    place = sm.gpc * m.noc.coalescer_entries_per_gpc + scramble(fill.line) % m.noc.coalescer_entries_per_gpc
    entry = memory.coalescer[place]
    if entry.line == fill.line + 1:
        primary = memory.fills[entry.first]
        if fill.sectors & ~primary.sectors == 0 and primary.merges + 1 < m.noc.coalescer_merges:
            if entry.answered == 0:
                fill.next, primary.merged = primary.merged, index
            elif now < entry.closes:
                schedule(chip.events, entry.answered + apart(m, primary, fill), REPLY, index, 0)
            else:
                return remember(entry, fill, index, place)
            primary.merges += 1
            chip.counts.merged += 1
            return True
    return remember(entry, fill, index, place)


@njit(cache=True, forceinline=True)
def apart(m, primary, fill):
    """Cycles by which a shared answer comes later to another TPC; drawn by the line. The two SMs of a TPC have it at once.

    Our microbenchmark noc/request_coalescing: the ends of two SMs' loads lie within 4 cycles in a TPC, within 10 to 13
    in two.
    """
    tpc = fill.sm // 2
    return 0 if tpc == primary.sm // 2 else scramble(fill.line << 8 | tpc) % m.noc.shared_reply_skew_cycles


@njit(cache=True)
def remember(entry, fill, index, place):
    """Later loads of this line may join this one."""
    entry.line, entry.first, entry.answered, fill.port = fill.line + 1, index, 0, place
    return False


@njit(cache=True)
def send(m, gpu, counts, sm, fill, index, events, now):
    """SM to slice: to that of its own partition where partitions keep copies, else to the owner."""
    fill.merged, fill.merges, fill.port, fill.stale, fill.passed = 0, 0, NONE, 0, 0
    home = fill.home = home_of(m, fill.line)
    fill.set = set_in_slice(m, fill.line)
    if home * m.l2.partitions // m.l2.slices != sm.side:
        sm.last_far = now
    near = near_of(m, home, sm.side)
    fill.slice = near if m.l2.far_copies else home
    fill.remote = 0
    bytes_ = fill.payload + atomic_header(m, fill) if fill.store or fill.atomic else m.noc.request_flit_bytes
    start = max(sm.request_free_fp, now << FP)
    sm.request_free_fp = start + bytes_ * m.request_sm_fp // PER_PORT
    start = max(start, gpu.gpc_request_fp[sm.gpc])
    gpu.gpc_request_fp[sm.gpc] = start + bytes_ * m.request_gpc_fp // PER_PORT
    counts.request_bytes += bytes_
    when = (start >> FP) + max(0, m.request_latency + distance(m, sm.gpc, near))
    if fill.slice != near:
        when = cross(m, gpu, counts, home * m.l2.partitions // m.l2.slices, bytes_, when)
    schedule(events, when, ARRIVE, index, 0)


@njit(cache=True, forceinline=True)
def atomic_header(m, fill):
    """Bytes that an atomic sends beside its data: those of a single lane go with them."""
    if not fill.atomic:
        return 0
    return m.noc.atomic_lane_header_bytes if fill.alone else m.noc.atomic_header_bytes


@njit(cache=True)
def cross(m, gpu, counts, side, bytes_, when):
    """Over the link into partition `side`; the cycle of arrival. Each direction adds half of the far latency."""
    start = max(gpu.link_fp[side], when << FP)
    gpu.link_fp[side] = start + bytes_ * m.link_fp // PER_PORT
    counts.link_bytes += bytes_
    return (start >> FP) + m.far_latency // 2


@njit(cache=True)
def reply(m, chip, cores, memory, index, when):
    """Slice to the SM's port, or to the slice of the other partition that asked."""
    fill = memory.fills[index]
    if fill.remote:
        side = 1 - fill.slice * m.l2.partitions // m.l2.slices
        when = cross(m, chip.run, chip.counts, side, m.noc.header_bytes + fill.payload, when)
        schedule(chip.events, when, DRAM_DONE, fill.remote, 0)
        free_fill(memory.fills, index)
        return
    if fill.request == UNANSWERED:
        free_fill(memory.fills, index)
        return
    sm = cores.sms[fill.sm]
    if fill.slice * m.l2.partitions // m.l2.slices != sm.side:
        when = cross(m, chip.run, chip.counts, sm.side, m.noc.header_bytes + fill.payload, when)
    chip.counts.l2_replies += 1
    there = through(m, memory.slices[fill.slice], sm.gpc, fill.payload, when) + m.reply_latency
    schedule(chip.events, there, REPLY, index, 0)
    if fill.port != NONE and memory.coalescer[fill.port].first == index:
        memory.coalescer[fill.port].answered, memory.coalescer[fill.port].closes = there, when + m.coalescer_window
    following = fill.merged
    while following:
        schedule(chip.events, there + apart(m, fill, memory.fills[following]), REPLY, following, 0)
        following = memory.fills[following].next


@njit(cache=True)
def through(m, slice_, gpc, bytes_, when):
    """The cycle at which data go through the link of a slice to a GPC: 16 bytes per L2 clock, in order.

    The SMs of a GPC get 645 B per cycle from the 47 slices of their partition of an H200, 553 from the 40 of an H100's
    (microbenchmark l2/latency_bandwidth: read_l2), and hits of an SM whose GPC is busy take 374 to 1,374 cycles, as if
    most of them had to queue and some had not (noc/request_coalescing). A whole line comes no later than a sector where
    nothing is before it, but for 1 to 7 cycles (l1/load_latency_by_width: l2.w1, l2.lane).
    """
    start = max(slice_.link_fp[gpc], when << FP)
    slice_.link_fp[gpc] = start + bytes_ * m.reply_link_fp // PER_PORT
    return start >> FP


@njit(cache=True)
def deliver(m, counts, sms, fill, index, events, cycle):
    """Port of the SM, in order of arrival there."""
    sm = sms[fill.sm]
    bytes_ = m.noc.header_bytes + fill.payload
    start = max(cycle << FP, sm.reply_free_fp)
    sm.reply_free_fp = start + bytes_ * m.reply_sm_fp // PER_PORT
    counts.reply_bytes += bytes_
    schedule(events, max(cycle, start >> FP), FILL, index, 0)
