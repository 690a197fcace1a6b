"""What slice_cache.py and writes.py do to lines and counts, with every answer at once: for blocks that are not timed."""

from numba import njit

from ssmsim.engines.embedded.bitmask import popcount
from ssmsim.engines.embedded.memory import noc
from ssmsim.engines.embedded.memory.address_map import home_of, keeps_copies, slice_beyond
from ssmsim.engines.embedded.memory.l2 import slice_cache, writes
from ssmsim.engines.embedded.memory.line_state import (
    add_l2,
    allocate_l2,
    clean,
    drop,
    fill_l2,
    missing_of,
    store_copy,
    store_l2,
    to_merge,
    use_l2,
)  # fmt: skip
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
            keep(m, gpu, counts, l2_tags, l2_lines, slice_, line, sectors, full)
        else:
            drop_line(m, l2_tags, l2_lines, slice_, line, sectors)
        counts.l2_hits += wanted
        counts.l2_write_sectors += wanted if store else 0
        counts.l2_sectors += wanted
        slice_ = home
    missing = sectors
    if slice_ != home:
        missing, way = read(m, gpu, counts, l2_tags, l2_lines, slice_, line, sectors, 0)
        if way != NONE:  # will be there once the owner has answered
            fill_l2(l2_lines[way], missing)
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
            fetch = missing_of(l2_lines[way], fetch)
            fill_l2(l2_lines[way], fetch)
        counts.dram_reads += popcount(fetch)
    if atomic:
        if way != NONE:
            add_l2(l2_lines[way], sectors)
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
        allocate_l2(l2_tags[way], entry, line)
    use_l2(gpu, l2_tags[way])
    return way


@njit(cache=True)
def read(m, gpu, counts, l2_tags, l2_lines, slice_, line, sectors, atomic):
    """Sectors that the slice lacks, and the way that holds the line from now on."""
    way = take(m, gpu, counts, l2_tags, l2_lines, slice_, line)
    missing = sectors
    if way != NONE:
        missing = missing_of(l2_lines[way], sectors)
    hits = popcount(sectors) - popcount(missing)
    counts.l2_hits += hits
    if not atomic:
        counts.l2_read_sectors += popcount(sectors)
        counts.l2_read_hits += hits
    return missing, way


@njit(cache=True)
def write_back(counts, entry):
    counts.dram_reads += popcount(to_merge(entry))
    counts.dram_writes += popcount(entry.dirty)
    clean(entry)


@njit(cache=True)
def keep(m, gpu, counts, l2_tags, l2_lines, slice_, line, sectors, full):
    """A store leaves a copy in the partition that it passes."""
    way = take(m, gpu, counts, l2_tags, l2_lines, slice_, line)
    if way != NONE:
        store_copy(l2_lines[way], sectors, full)


@njit(cache=True)
def write(m, gpu, counts, l2_tags, l2_lines, home, line, sectors, full, from_home):
    counts.l2_write_sectors += popcount(sectors)
    counts.l2_hits += popcount(sectors)
    way = take(m, gpu, counts, l2_tags, l2_lines, home, line)
    if way == NONE:
        counts.dram_writes += popcount(sectors)
    else:
        was_clean = l2_lines[way].dirty == 0
        store_l2(l2_lines[way], sectors, full)
        old = writes.too_dirty(m, l2_tags, l2_lines, way) if was_clean else NONE
        if old != NONE:
            write_back(counts, l2_lines[old])
    if from_home:
        drop_copy(m, l2_tags, l2_lines, home, line, sectors)


@njit(cache=True)
def drop_copy(m, l2_tags, l2_lines, home, line, sectors):
    """What the other partition holds of these sectors is stale."""
    if keeps_copies(m):
        drop_line(m, l2_tags, l2_lines, slice_beyond(m, home), line, sectors)


@njit(cache=True)
def drop_line(m, l2_tags, l2_lines, slice_, line, sectors):
    way, _ = find_l2(m, l2_tags, l2_lines, slice_, line)
    if way != NONE:
        drop(l2_lines[way], sectors)
