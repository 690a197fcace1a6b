"""Stores in the L2: write-back, write-allocate by byte mask, and a bounded share of dirty lines.

A sector written whole is valid without a fetch, with l2.word_masks by several stores, too; a partly written one is
fetched when it is read, or merged when it is written back. A set that holds more dirty lines than its share sends the
oldest to DRAM (our microbenchmark l2/capacity_fetch_writeback).
"""

from numba import njit

from ssmsim.engines.embedded.bitmask import popcount
from ssmsim.engines.embedded.event_queue import STORED, schedule
from ssmsim.engines.embedded.memory import dram, noc
from ssmsim.engines.embedded.memory.address_map import keeps_copies, slice_beyond
from ssmsim.engines.embedded.memory.line_state import allocate_l2, clean, drop, store_l2, to_merge, written_whole
from ssmsim.engines.embedded.memory.noc import free_fill
from ssmsim.engines.embedded.memory.tag_store import first_way, search
from ssmsim.engines.embedded.sm.memory import fence
from ssmsim.engines.embedded.state.records import INF, NONE


@njit(cache=True)
def replace(m, chip, memory, way, line, slice_, now):
    """Give a way to a new line; what was written there goes to DRAM."""
    entry = memory.l2_lines[way]
    if entry.dirty:
        write_back(m, chip, memory, way, slice_, now)
    allocate_l2(memory.l2_tags[way], entry, line)


@njit(cache=True)
def write(m, counts, sms, l2_tags, l2_lines, fill, entry, sectors):
    """A store: whole sectors become valid, partly written ones are to be merged."""
    counts.l2_write_sectors += sectors
    counts.l2_hits += sectors  # a write never waits: ncu counts it as a hit
    full, part = fill.full, fill.sectors & ~fill.full & ~entry.valid
    if part and m.l2.word_masks:
        full |= written_whole(entry, part, fill.words)
    store_l2(entry, fill.sectors, full)
    if noc.near_of(m, fill.slice, sms[fill.sm].side) == fill.slice:  # else it came through the copy and updated it
        drop_copy(m, l2_tags, l2_lines, fill)


@njit(cache=True)
def write_past(m, chip, memory, index, now):
    """A store or addition for a set in which every way awaits data goes to DRAM, merged there where it covers no whole sector."""
    fill = memory.fills[index]
    sectors = popcount(fill.sectors)
    chip.counts.l2_write_sectors += sectors
    chip.counts.l2_hits += sectors
    chip.counts.dram_reads += popcount(fill.sectors & ~fill.full)
    dram.write(m, chip, memory, fill.slice, fill.line, fill.sectors, now)
    schedule(chip.events, now, STORED, index, 0)


@njit(cache=True)
def stored(m, sms, events, fills, index, near, cycle):
    """A slice has taken a store: the near one on its way to the owner, or the owner, and the SM has its bytes back."""
    fill = fills[index]
    if near:
        return
    fence.acknowledge(m, sms, events, fill, cycle)
    sms[fill.sm].stores -= fill.payload
    free_fill(fills, index)


@njit(cache=True)
def drop_copy(m, l2_tags, l2_lines, fill):
    """What the other partition holds of these sectors is stale."""
    if keeps_copies(m):
        first = first_way(m, fill, slice_beyond(m, fill.slice))
        other, _ = search(m.l2_replacement, l2_tags, l2_lines, first, m.l2.ways, fill.line)
        if other != NONE and l2_lines[other].valid & fill.sectors:
            drop(l2_lines[other], fill.sectors)
            fill.stale = 1


@njit(cache=True)
def write_early(m, chip, memory, way, slice_, now):
    """Keep part of the cache clean: beyond its share of dirty lines, a store sends the oldest to DRAM.

    Microbenchmark l2/capacity_fetch_writeback.
    """
    old = too_dirty(m, memory.l2_tags, memory.l2_lines, way)
    if old != NONE:
        write_back(m, chip, memory, old, slice_, now)


@njit(cache=True)
def too_dirty(m, l2_tags, l2_lines, way):
    """The way to clean when the set of `way` holds more dirty lines than it may: the one used longest ago, else NONE."""
    set_ = way // m.l2.ways
    dirty, best, oldest = 0, NONE, INF
    for i in range(set_ * m.l2.ways, (set_ + 1) * m.l2.ways):
        if l2_lines[i].dirty:
            dirty += 1
            if l2_tags[i].used < oldest:
                best, oldest = i, l2_tags[i].used
    return best if 2 * dirty > m.dirty_half_ways + (set_ & 1) else NONE


@njit(cache=True)
def write_back(m, chip, memory, way, slice_, now):
    """Dirty sectors of a line go to DRAM; the line stays."""
    entry, line = memory.l2_lines[way], memory.l2_tags[way].line - 1
    chip.counts.dram_reads += popcount(to_merge(entry))
    dram.write(m, chip, memory, slice_, line, entry.dirty, now)
    clean(entry)
