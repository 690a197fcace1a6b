"""Buffer of the prefetcher: lines that it has asked for, until a load or a copy of the SM takes them.

A ring, as stream buffers are (Jouppi, "Improving direct-mapped cache performance", ISCA 1990): the next line that the
prefetcher asks for takes the oldest place, and what came there and nobody took is lost. A load that finds its sectors
here hits as in the L1, and the L1 keeps the line from then on; a copy past the L1 takes it to shared memory. One that
finds them on their way waits for them.
"""

from numba import njit

from ssmsim.engines.embedded.bitmask import popcount
from ssmsim.engines.embedded.event_queue import PREFETCH, schedule
from ssmsim.engines.embedded.feed.line_word import line_of, sectors_of
from ssmsim.engines.embedded.memory.line_state import allocate_l1
from ssmsim.engines.embedded.memory.noc import wait_for
from ssmsim.engines.embedded.memory.tag_store import find_l1
from ssmsim.engines.embedded.sm.instruction import COPY, GLOBAL
from ssmsim.engines.embedded.sm.memory import ldgsts
from ssmsim.engines.embedded.state.records import NONE, record

# A place of the buffer: number of its line plus one (0: none), sectors, who brings them (0: they are there), whether a
# load waits for them, and whether one through the L1 does.
PREFETCHED = record("line", "sectors", "bringer", "wanted", "keep")


@njit(cache=True, forceinline=True)
def foreseen(one):
    """Whether the prefetcher asks for what an instruction reads: loads and copies from global memory, but those past the L1 by scope."""
    return one.space == COPY or (one.space == GLOBAL and not one.is_store and not one.is_atomic and not one.bypass)


@njit(cache=True, forceinline=True)
def call(events, sm, cycle):
    """The prefetcher looks for work, unless it will anyway."""
    if sm.ahead_due == 0:
        sm.ahead_due = max(cycle + 1, sm.ahead_free)
        schedule(events, sm.ahead_due, PREFETCH, sm.number, 0)


@njit(cache=True)
def find(m, prefetched, s, line, sectors):
    """Place of SM s that has these sectors of a line, there or on their way; NONE."""
    for place in range(s * m.prefetch_places, (s + 1) * m.prefetch_places):
        entry = prefetched[place]
        if entry.line == line + 1 and sectors & ~entry.sectors == 0:
            return place
    return NONE


@njit(cache=True)
def use(m, chip, cores, memory, sm, index, word, now):
    """Whether a line of a load or copy is here or on its way; it is taken, or waited for."""
    request = cores.requests[index]
    one, line, sectors = cores.code[request.code], line_of(word), sectors_of(word)
    if not foreseen(one):
        return False
    place = find(m, cores.prefetched, sm.number, line, sectors)
    if place == NONE:
        return False
    entry = cores.prefetched[place]
    chip.counts.l1_hits += popcount(sectors)
    chip.counts.l1_load_hits += popcount(sectors)
    if entry.bringer:
        chip.counts.prefetch_late += not entry.wanted
        request.left += 1
        wait_for(memory.fills, entry.bringer, index)
        entry.wanted = 1
        entry.keep |= not one.bypass
        return True
    if one.bypass:
        ldgsts.arrives(m, chip.counts, sm, popcount(sectors), now)
    else:
        keep(m, cores, sm.number, line, entry.sectors, now)
    chip.counts.prefetch_used += 1
    entry.line = 0
    return True


@njit(cache=True)
def came(m, chip, cores, fill, cycle):
    """A line that the prefetcher asked for is there; the caller answers the requests that wait for it."""
    sm, entry = cores.sms[fill.sm], cores.prefetched[fill.way]
    sm.ahead_awaited -= 1
    entry.bringer = 0
    if entry.wanted:
        chip.counts.prefetch_used += 1
        if entry.keep:
            keep(m, cores, fill.sm, fill.line, entry.sectors, cycle)
        entry.line = 0
    call(chip.events, sm, cycle)


@njit(cache=True)
def keep(m, cores, s, line, sectors, now):
    """The L1 takes sectors that a load has used."""
    way, victim = find_l1(m, cores.l1_tags, cores.l1_lines, s, line)
    if way == NONE and victim != NONE:
        way = victim
        allocate_l1(cores.l1_tags[way], cores.l1_lines[way], line)
    if way != NONE:
        cores.l1_lines[way].valid |= sectors & ~cores.l1_lines[way].pending
        cores.l1_tags[way].used = now


@njit(cache=True)
def place_for(m, chip, cores, sm):
    """The next place of the ring; NONE while what it holds is on its way. What nobody took from it is lost."""
    place = sm.number * m.prefetch_places + sm.ahead_next
    entry = cores.prefetched[place]
    if entry.line and entry.bringer:
        return NONE
    chip.counts.prefetch_lost += entry.line != 0
    sm.ahead_next = (sm.ahead_next + 1) % m.prefetch_places
    entry.line = 0
    return place
