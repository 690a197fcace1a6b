"""Fetching ahead on the host: its memory answers in 150 ns, as long as the loop needs for a whole event.

While one event is handled, the records that the next three need are asked for, one step of the way at a time. Nothing
here changes what is simulated.
"""

from numba import njit

from ssmsim.engines.embedded.event_queue import ARRIVE, DRAM_DONE, FILL, RELEASE, REPLY, WHEEL
from ssmsim.engines.embedded.memory.tag_store import first_way, likely
from ssmsim.engines.embedded.state.pointers import prefetch
from ssmsim.engines.embedded.state.records import NONE

TAGS_PER_LINE = 4  # of the host's cache


@njit(cache=True, forceinline=True)
def ahead(m, events, cycle, cores, memory):
    first = events[cycle & (WHEEL - 1)].next
    second = events[first].next if first else 0
    third = events[second].next if second else 0
    if third == 0:
        return
    prefetch(events, events[third].next)
    records(events[third].kind, events[third].a, cores.warps, memory.fills, memory.transactions)
    lines(m, events[second].kind, events[second].a, cores, memory)
    if events[first].kind == ARRIVE:
        fill = memory.fills[events[first].a]
        tags = first_way(m, fill, fill.slice)
        prefetch(memory.l2_lines, likely(memory.l2_tags, tags, m.l2.ways, fill.line))


@njit(cache=True, forceinline=True)
def records(kind, a, warps, fills, transactions):
    """What the event itself names."""
    if kind == RELEASE:
        prefetch(warps, a)
    elif kind in (ARRIVE, FILL, REPLY):
        prefetch(fills, a)
    elif kind == DRAM_DONE:
        prefetch(transactions, a)


@njit(cache=True, forceinline=True)
def lines(m, kind, a, cores, memory):
    """What that in turn names."""
    if kind == ARRIVE:
        first = first_way(m, memory.fills[a], memory.fills[a].slice)
        for way in range(first, first + m.l2.ways, TAGS_PER_LINE):
            prefetch(memory.l2_tags, way)
    elif kind == FILL:
        prefetch(cores.requests, memory.fills[a].request)
        prefetch(cores.l1_lines, max(0, memory.fills[a].way))
    elif kind == DRAM_DONE:
        prefetch(memory.fills, memory.transactions[a].waiters)
        if memory.transactions[a].l2 != NONE:
            prefetch(memory.l2_lines, memory.transactions[a].l2)
