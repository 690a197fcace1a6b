"""What comes in is whole, and what went in came out. A broken rule is an error, not a number.

whole() checks what a source delivers before the loop may index it, conserve() every finished run.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ssmsim.architecture import LANES, MAX_CLUSTER, SECTOR_BYTES
from ssmsim.engines.embedded.event_queue import WHEEL
from ssmsim.engines.embedded.sm.stalls import SELECTED
from ssmsim.engines.embedded.state.machine import State
from ssmsim.errors import SsmsimError
from ssmsim.sass.opcodes import Space
from ssmsim.trace.types import LOCAL_WINDOW, SHARED_WINDOW, WINDOW_BYTES, BlockTrace, Program


def whole(trace: BlockTrace, program: Program, warps: int, cluster: int = 1) -> None:
    """Raise SsmsimError when the arrays of a source's blocks do not fit together, or not to the program.

    cluster: blocks of one.
    """
    for rule, holds in _rules(trace, program, warps):
        if not holds:
            raise SsmsimError(
                f"the tracer's blocks from {trace.blocks[:1]} on lack {rule}", program.kernel, "trace again"
            )
    rows = program.instructions["accesses"].astype(np.int8)
    needed = np.add.reduceat(rows[trace.index], trace.first[:-1], dtype=np.int64)
    wrong = np.flatnonzero(needed != np.diff(trace.first_access))
    if len(wrong):
        w = int(wrong[0])
        given = int(trace.first_access[w + 1] - trace.first_access[w])
        raise SsmsimError(f"block {trace.blocks[w // warps]} warp {w % warps}: {given} rows of addresses for instructions "
                          f"that need {needed[w]}", program.kernel, "trace the launch again")  # fmt: skip
    _windows(trace, program, cluster)


def _windows(trace: BlockTrace, program: Program, cluster: int) -> None:
    """Refuse generic accesses to local memory, and those whose lanes go to several memories or blocks."""
    generic = program.instructions["space"] == Space.GENERIC
    at = np.flatnonzero(generic[trace.index]) if generic.any() else np.zeros(0, int)
    if len(at) == 0:
        return
    rows = np.cumsum(program.instructions["accesses"][trace.index])[at] - 1
    on = trace.mask[at, None] >> np.arange(LANES, dtype=np.uint32) & 1
    # The rank of a block, else below 0 or above all windows.
    place = (trace.addresses[rows] - SHARED_WINDOW) // WINDOW_BYTES
    last = MAX_CLUSTER if cluster > 1 else (LOCAL_WINDOW - SHARED_WINDOW) // WINDOW_BYTES
    place = np.where((place >= 0) & (place <= last), place, -1)
    low, high = np.where(on == 1, place, last + 1).min(1), np.where(on == 1, place, -1).max(1)
    wrong = np.flatnonzero((low <= last) & ((low != high) | (high >= cluster)))
    if len(wrong):
        text = program.text[int(trace.index[at[wrong[0]]])].strip()
        what = "has lanes in several memories or blocks" if high[wrong[0]] < cluster else "to local memory"
        raise SsmsimError(f"{text}: a generic access {what}, which has no timing", program.kernel,
                          "ssmsim inspect takes the launch")  # fmt: skip


def _rules(trace: BlockTrace, program: Program, warps: int) -> Iterator[tuple[str, Any]]:
    """(rule, whether it holds), each looked at only when the ones before it hold."""
    first, count = trace.first, len(trace.index)
    yield "a stream per warp", len(first) == len(trace.first_access) == len(trace.blocks) * warps + 1 > 1
    yield "streams one after another", first[0] == 0 and first[-1] == count and (np.diff(first) > 0).all()
    yield "a mask per instruction", len(trace.mask) == len(trace.active) == count
    yield "instructions of this kernel", trace.index.min() >= 0 and trace.index.max() < len(program.instructions)
    yield "lane addresses in rows of a warp's lanes", trace.addresses.shape[1:] == (LANES,)
    yield "rows of addresses to the end", trace.first_access[0] == 0 and trace.first_access[-1] == len(trace.addresses)


def conserve(state: State, executed: int) -> None:
    """Raise SsmsimError naming the first law that the finished run breaks."""
    counts, gpu, m = state.counts[0], state.gpu[0], state.machine[0]
    filled = int(m.noc.header_bytes * counts.l1_fills + SECTOR_BYTES * counts.l1_fill_sectors)
    laws = {
        "instructions issued = instructions in the streams": (counts.issued, executed),
        "instructions selected = issued": (int(state.stalls[:, SELECTED].sum()), counts.issued),
        "warps retired = launched": (counts.retired_warps, counts.launched_warps),
        "memory instructions answered = served": (counts.answers, counts.requests),
        "SM lines awaited": (int(state.sms.misses.sum()), 0),
        "places of copies given back": (int(state.sms.places_taken_fp.sum()), 0),
        "places of lines given back": (int(state.sms.awaited.sum()), 0),
        "lines prefetched = used, lost or left": (
            counts.prefetch_lines,
            counts.prefetch_used + counts.prefetch_lost + np.count_nonzero(state.prefetched.line),
        ),
        "lines on their way to the prefetcher": (int(state.sms.ahead_awaited.sum()), 0),
        "registers held": (int(state.subs.held.sum()), 0),
        "stores acknowledged": (int(state.sms.stores_acknowledged.sum()), int(state.sms.stores_issued.sum())),
        "bytes of stores to be taken": (int(state.sms.stores.sum()), 0),
        "fences waiting": (int(state.sms.fences_waiting.sum()), 0),
        "bytes that reach the SMs = sectors filled and headers": (counts.reply_bytes, filled),
        "sectors awaited by a cache": (_awaited(state.l1_lines) + _awaited(state.l2_lines), 0),
        "L2 requests waiting": (
            int((state.slices.misses + state.slices.writes + state.slices.asked + state.slices.waiting).sum()),
            0,
        ),
        "additions on their way to their owners": (int(state.slices.coming_fp.sum()), 0),
        "DRAM transactions waiting": (
            int((state.channels.reads + state.channels.writes).sum() + state.slices.choosable.sum()),
            0,
        ),
        "events to come": (state.events[WHEEL].b, 0),
        "warps resident at the end": (gpu.warps_alive, 0),
        "request entries free": (_free(state.requests), len(state.requests) - 1),
        "entries of lines free": (state.fills[0].payload, len(state.fills) - 1),
        "entries of DRAM transactions free": (state.transactions[0].sectors, len(state.transactions) - 1),
        "stall table covers the warps' time": (int(state.stalls.sum()), counts.warp_cycles),
    }
    for law, (left, right) in laws.items():
        if int(left) != int(right):
            raise SsmsimError(f"conservation broken: {law}, but {int(left)} against {int(right)}", "embedded engine",
                              "this is a fault of the model; report it")  # fmt: skip


def _awaited(lines: Any) -> int:
    return int(np.count_nonzero(lines.pending))


def _free(pool: Any) -> int:
    """Entries on a free list, as far as it is a simple chain."""
    following, seen, at = pool.next, 0, int(pool[0].next)
    while at and seen < len(pool):
        seen, at = seen + 1, int(following[at])
    return seen
