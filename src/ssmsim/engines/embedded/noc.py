"""Crossbar: every SM and every GPC has a request and a reply port of limited width; the partitions share a link.

Requests of loads take a flit, stores those of their data and atomics one more; replies carry sectors behind a header. A line is
owned by one slice (homes.py); the other partition costs the far latency (arXiv 2402.13499: bimodal hits). With
far_copies a partition keeps copies of lines that the other owns, as our l2_hits microbenchmark shows for the H200.
"""

from numba import njit

from ssmsim.engines.embedded.events import ARRIVE, DRAM_DONE, FILL, REPLY, schedule
from ssmsim.engines.embedded.homes import home_of, scramble
from ssmsim.engines.embedded.records import FP, NONE
from ssmsim.engines.embedded.tags import set_in_slice

REDUCTION = 32  # bytes that an atomic of up to four sectors sends beside its data: our microbenchmark l2, red_l2


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
def near_of(m, home, side):
    """Slice of the same place in the partition `side`."""
    per_side = m.l2_slices // m.partitions
    return home % per_side + per_side * side


@njit(cache=True, forceinline=True)
def distance(m, gpc, slice_):
    """Cycles that this slice lies nearer (below 0) or farther than the mean, as seen from a GPC; evenly spread.

    Our microbenchmark l2, lines: hits take 295 to 350 cycles between the 5th and the 95th percentile. A load of four lines
    waits for the farthest: widths, l2.w4 takes 334 cycles and l2.lane 313.
    """
    return scramble(gpc << 20 | slice_) % (2 * m.spread + 1) - m.spread


@njit(cache=True)
def merge(m, counts, sm, coalescer, fills, fill, index, events, now):
    """L2 request coalescer of a GPC: a load joins one for the same sectors that is on its way. True when it did.

    Nsight Compute's documentation names the unit (LRC). Four loads share one request and the fifth begins another; the
    answer passes the unit halfway to the SM, after which none can join: our microbenchmark coalescer, gpc and tpc. It passes
    the GPC's port once for all of them: multicast, where SMs that share lines get 990 B per cycle through a port of 645.
    """
    place = sm.gpc * m.coalescer + scramble(fill.line) % m.coalescer
    entry = coalescer[place]
    if entry.line == fill.line + 1:
        primary = fills[entry.first]
        if fill.sectors & ~primary.sectors == 0 and primary.merges + 1 < m.coalescer_merges and meets(m, primary, fill):
            if entry.answered == 0:
                fill.next, primary.merged = primary.merged, index
            elif now < entry.answered - m.reply_latency // 2:
                schedule(events, entry.answered, REPLY, index, 0)
            else:
                return remember(entry, fill, index, place)
            fill.joined = 1
            primary.merges += 1
            counts.merged += 1
            return True
    return remember(entry, fill, index, place)


@njit(cache=True, forceinline=True)
def meets(m, primary, fill):
    """Loads of the two SMs of a TPC always meet, those of two TPCs mostly; of which ones is not known and drawn by the line.

    Our microbenchmark multicast: two SMs of a TPC send 0.506 of what both ask for, two TPCs with the same lines 0.33 to 0.35, not
    0.25 (gpc.2.8, gpc.4.8 to gpc.16.8). Two SMs of two TPCs whose loads come at once do not meet at all (coalescer, 2tpc.0ns).
    """
    tpc = fill.sm // 2
    return primary.sm // 2 == tpc or scramble(fill.line << 8 | tpc) & 1023 < m.coalescer_share


@njit(cache=True)
def remember(entry, fill, index, place):
    """Later loads of this line may join this one."""
    entry.line, entry.first, entry.answered, fill.port = fill.line + 1, index, 0, place
    return False


@njit(cache=True)
def send(m, gpu, counts, sm, fill, index, coalescer, fills, events, now):
    """SM to slice: to that of its own partition where partitions keep copies, else to the owner."""
    fill.merged, fill.merges, fill.joined, fill.port, fill.stale, fill.passed = 0, 0, 0, NONE, 0, 0
    home = fill.home = home_of(m, fill.line)
    fill.set = set_in_slice(m, fill.line)
    if home * m.partitions // m.l2_slices != sm.side:
        sm.last_far = now
    if (
        m.coalescer
        and not fill.store
        and not fill.atomic
        and merge(m, counts, sm, coalescer, fills, fill, index, events, now)
    ):
        return
    near = near_of(m, home, sm.side)
    fill.slice = near if m.far_copies else home
    fill.remote = 0
    bytes_ = fill.payload + REDUCTION * fill.atomic if fill.store or fill.atomic else m.flit
    start = max(sm.request_free_fp, now << FP)
    sm.request_free_fp = start + bytes_ * m.request_sm_fp // 256
    start = max(start, gpu.gpc_request_fp[sm.gpc])
    gpu.gpc_request_fp[sm.gpc] = start + bytes_ * m.request_gpc_fp // 256
    counts.request_bytes += bytes_
    when = (start >> FP) + max(0, m.request_latency + distance(m, sm.gpc, near))
    if fill.slice != near:
        when = cross(m, gpu, counts, home * m.partitions // m.l2_slices, bytes_, when)
    schedule(events, when, ARRIVE, index, 0)


@njit(cache=True)
def cross(m, gpu, counts, side, bytes_, when):
    """Over the link into partition `side`; the cycle of arrival. Each direction adds half of the far latency."""
    start = max(gpu.link_fp[side], when << FP)
    gpu.link_fp[side] = start + bytes_ * m.link_fp // 256
    counts.link_bytes += bytes_
    return (start >> FP) + m.far_latency // 2


@njit(cache=True)
def reply(m, gpu, counts, sms, coalescer, fills, index, events, when):
    """Slice to the SM's port, or to the slice of the other partition that asked."""
    fill = fills[index]
    if fill.remote:
        side = 1 - fill.slice * m.partitions // m.l2_slices
        when = cross(m, gpu, counts, side, m.header + fill.payload, when)
        schedule(events, when, DRAM_DONE, fill.remote, 0)
        free_fill(fills, index)
        return
    sm = sms[fill.sm]
    if fill.slice * m.partitions // m.l2_slices != sm.side:
        when = cross(m, gpu, counts, sm.side, m.header + fill.payload, when)
    counts.l2_replies += 1
    schedule(events, when + m.reply_latency, REPLY, index, 0)
    if fill.port != NONE and coalescer[fill.port].first == index:
        coalescer[fill.port].answered = when + m.reply_latency
    following = fill.merged
    while following:
        schedule(events, when + m.reply_latency, REPLY, following, 0)
        following = fills[following].next


@njit(cache=True)
def deliver(m, gpu, counts, sms, fill, index, events, cycle):
    """Ports of GPC and SM, in order of arrival there; loads that joined another's have come through the GPC's with it."""
    sm = sms[fill.sm]
    bytes_ = m.header + fill.payload
    start = max(gpu.gpc_reply_fp[sm.gpc], cycle << FP)
    if not fill.joined:
        gpu.gpc_reply_fp[sm.gpc] = start + bytes_ * m.reply_gpc_fp // 256
    start = max(start, sm.reply_free_fp)
    sm.reply_free_fp = start + bytes_ * m.reply_sm_fp // 256
    counts.reply_bytes += bytes_
    schedule(events, max(cycle, start >> FP), FILL, index, 0)
