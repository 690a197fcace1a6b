"""Crossbar: every SM and every GPC has a request and a reply port of limited width; the partitions share a link.

Requests of loads carry a header, stores and atomics their data; replies carry sectors. A line lives in the slice that
a hash of its address names; a slice in the other partition costs the far latency (arXiv 2402.13499: bimodal hits).
"""

from numba import njit

from ssmsim.engines.embedded.events import ARRIVE, FILL, REPLY, schedule
from ssmsim.engines.embedded.records import FP


@njit(cache=True)
def scramble(x):
    """A fixed mixing of address bits; the hardware's own hash is not published, only that it spreads evenly."""
    x ^= x >> 17
    x = ((x & 0x7FFFFFFF) * 0x1E3779B1 ^ x >> 31) & 0xFFFFFFFFFFFF
    x ^= x >> 23
    return x


@njit(cache=True)
def slice_of(m, line):
    return scramble(line // m.l2_granule) % m.l2_slices


@njit(cache=True)
def is_far(m, sm, slice_):
    return m.partitions == 2 and sm.side != slice_ * 2 // m.l2_slices


@njit(cache=True)
def send(m, gpu, counts, sm, fill, index, events, now):
    """SM to slice."""
    fill.slice = slice_of(m, fill.line)
    bytes_ = m.header + (fill.payload if fill.store or fill.atomic else 0)
    start = max(sm.request_free_fp, now << FP)
    sm.request_free_fp = start + bytes_ * m.request_sm_fp // 256
    start = max(start, gpu.gpc_request_fp[sm.gpc])
    gpu.gpc_request_fp[sm.gpc] = start + bytes_ * m.request_gpc_fp // 256
    counts.request_bytes += bytes_
    when = (start >> FP) + m.request_latency
    if is_far(m, sm, fill.slice):
        when += m.far_latency // 2
    schedule(events, when, ARRIVE, index, 0)


@njit(cache=True)
def reply(m, counts, sms, fill, index, events, when):
    """Slice to the SM's port."""
    sm = sms[fill.sm]
    when += m.reply_latency
    if is_far(m, sm, fill.slice):
        when += m.far_latency - m.far_latency // 2
    counts.l2_replies += 1
    schedule(events, when, REPLY, index, 0)


@njit(cache=True)
def deliver(m, gpu, counts, sms, fill, index, events, cycle):
    """Ports of GPC and SM, in order of arrival there."""
    sm = sms[fill.sm]
    bytes_ = m.header + fill.payload
    start = max(gpu.gpc_reply_fp[sm.gpc], cycle << FP)
    gpu.gpc_reply_fp[sm.gpc] = start + bytes_ * m.reply_gpc_fp // 256
    start = max(start, sm.reply_free_fp)
    sm.reply_free_fp = start + bytes_ * m.reply_sm_fp // 256
    counts.reply_bytes += bytes_
    schedule(events, max(cycle, start >> FP), FILL, index, 0)
