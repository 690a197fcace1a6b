"""What slice_cache.py and writes.py do to lines and counts, with every answer at once: for blocks that are not timed."""

from numba import njit

from ssmsim.engines.embedded.bitmask import popcount
from ssmsim.engines.embedded.memory import noc
from ssmsim.engines.embedded.memory.address_map import home_of
from ssmsim.engines.embedded.memory.l2 import slice_cache, writes
from ssmsim.engines.embedded.memory.tag_store import find_l2
from ssmsim.engines.embedded.state.records import NONE


@njit(cache=True)
def slice_of(m, home, side):
    """Slice that an SM of partition `side` asks for a line that `home` owns."""
    return noc.near_of(m, home, side) if m.l2.far_copies else home


@njit(cache=True)
def through_l2(m, gpu, counts, l2_tags, l2_lines, side, line, sectors, full, store, atomic, promote):
    """One line of a request from an SM of partition `side`: l2.arrive with every wait left out."""
    wanted = popcount(sectors)
    home = home_of(m, line)
    slice_ = slice_of(m, home, side)
    counts.l2_sectors += wanted
    near = slice_
    if slice_ != home and (store or atomic):
        if store:
            keep(m, gpu, counts, l2_tags, l2_lines, slice_, line, sectors & full)
        else:
            drop(m, l2_tags, l2_lines, slice_, line, sectors)
        counts.l2_hits += wanted
        counts.l2_write_sectors += wanted if store else 0
        counts.l2_sectors += wanted
        slice_ = home
    missing = sectors
    if slice_ != home:
        missing, way = read(m, gpu, counts, l2_tags, l2_lines, slice_, line, sectors, 0)
        if way != NONE:  # will be there once the owner has answered
            l2_lines[way].valid |= sectors & ~l2_lines[way].pending
        if missing == 0:
            return
        counts.l2_far += popcount(missing)
        counts.l2_sectors += popcount(missing)
    if store:
        write(m, gpu, counts, l2_tags, l2_lines, home, line, sectors, full, near == home)
        return
    missing, way = read(m, gpu, counts, l2_tags, l2_lines, home, line, missing, atomic)
    if missing:
        fetch = slice_cache.promoted(missing, max(m.l2.fetch_bytes, promote))
        if way != NONE:
            fetch &= ~(l2_lines[way].valid | l2_lines[way].pending)
            l2_lines[way].valid |= fetch
            l2_lines[way].partial &= ~fetch
        counts.dram_reads += popcount(fetch)
    if atomic:
        if way != NONE:
            l2_lines[way].dirty |= sectors
        drop_copy(m, l2_tags, l2_lines, home, line, sectors)


@njit(cache=True)
def take(m, gpu, counts, l2_tags, l2_lines, slice_, line):
    """The way that holds the line from now on, NONE when all await data; what was written there goes to DRAM."""
    way, victim = find_l2(m, l2_tags, l2_lines, slice_, line)
    if way == NONE:
        way = victim
        if way == NONE:
            return NONE
        entry = l2_lines[way]
        if entry.dirty:
            write_back(counts, entry)
        l2_tags[way].line, entry.valid, entry.pending, entry.dirty, entry.partial = line + 1, 0, 0, 0, 0
    gpu.uses += 1
    l2_tags[way].used = gpu.uses
    return way


@njit(cache=True)
def read(m, gpu, counts, l2_tags, l2_lines, slice_, line, sectors, atomic):
    """Sectors that the slice lacks, and the way that holds the line from now on."""
    way = take(m, gpu, counts, l2_tags, l2_lines, slice_, line)
    missing = sectors
    if way != NONE:
        missing = sectors & ~l2_lines[way].valid & ~l2_lines[way].pending
    hits = popcount(sectors) - popcount(missing)
    counts.l2_hits += hits
    if not atomic:
        counts.l2_read_sectors += popcount(sectors)
        counts.l2_read_hits += hits
    return missing, way


@njit(cache=True)
def write_back(counts, entry):
    merged = entry.dirty & entry.partial
    counts.dram_reads += popcount(merged)
    counts.dram_writes += popcount(entry.dirty)
    entry.valid |= merged
    entry.dirty, entry.partial = 0, entry.partial & ~merged


@njit(cache=True)
def keep(m, gpu, counts, l2_tags, l2_lines, slice_, line, sectors):
    """A store leaves a copy in the partition that it passes."""
    way = take(m, gpu, counts, l2_tags, l2_lines, slice_, line)
    if way != NONE:
        l2_lines[way].valid |= sectors


@njit(cache=True)
def write(m, gpu, counts, l2_tags, l2_lines, home, line, sectors, full, from_home):
    counts.l2_write_sectors += popcount(sectors)
    counts.l2_hits += popcount(sectors)
    way = take(m, gpu, counts, l2_tags, l2_lines, home, line)
    if way == NONE:
        counts.dram_writes += popcount(sectors)
    else:
        entry, whole = l2_lines[way], sectors & full
        clean = entry.dirty == 0
        entry.valid |= whole
        entry.partial = (entry.partial | sectors & ~entry.valid) & ~whole
        entry.dirty |= sectors
        old = writes.too_dirty(m, l2_tags, l2_lines, way) if clean else NONE
        if old != NONE:
            write_back(counts, l2_lines[old])
    if from_home:
        drop_copy(m, l2_tags, l2_lines, home, line, sectors)


@njit(cache=True)
def drop_copy(m, l2_tags, l2_lines, home, line, sectors):
    """What the other partition holds of these sectors is stale."""
    if m.l2.far_copies and m.l2.partitions == 2:
        drop(m, l2_tags, l2_lines, (home + m.l2.slices // 2) % m.l2.slices, line, sectors)


@njit(cache=True)
def drop(m, l2_tags, l2_lines, slice_, line, sectors):
    way, _ = find_l2(m, l2_tags, l2_lines, slice_, line)
    if way != NONE:
        l2_lines[way].valid &= ~sectors
