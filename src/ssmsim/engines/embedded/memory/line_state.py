"""What happens to a line of L1 or L2: the transitions that timed and untimed accesses share.

A way is a tag (tag_store.TAG) and an entry: masks of sectors that are valid, pending (on their way), stored (L1: written,
loads do not hit them), dirty and partial (L2: written in part, the rest is still in DRAM). What an access costs and which
counts it moves is the caller's: sm/memory/l1.py, memory/l2 with time, sampling/functional_warming.py, untimed_l2.py without.
"""

from numba import njit

from ssmsim.architecture import SECTORS_PER_LINE, WORDS_PER_SECTOR
from ssmsim.engines.embedded.feed.coalesce import ALL_WORDS


@njit(cache=True, forceinline=True)
def allocate_l1(tag, entry, line):
    """Give a way of an L1 to a line of which nothing is there."""
    tag.line, entry.valid, entry.pending, entry.stored = line + 1, 0, 0, 0


@njit(cache=True, forceinline=True)
def allocate_l2(tag, entry, line):
    """Give a way of the L2 to a line of which nothing is there; what was dirty has been written back."""
    tag.line, entry.valid, entry.pending, entry.dirty, entry.partial, entry.words = line + 1, 0, 0, 0, 0, 0


@njit(cache=True, forceinline=True)
def missing_of(entry, sectors):
    """Those of the sectors that are neither there nor on their way."""
    return sectors & ~entry.valid & ~entry.pending


@njit(cache=True, forceinline=True)
def use_l2(gpu, tag):
    """Note the last use of a line: one order for timed and untimed requests."""
    gpu.uses += 1
    tag.used = gpu.uses


@njit(cache=True, forceinline=True)
def store_l1(entry, sectors, atomic, local):
    """A store or an atomic passes the L1: atomics are done in L2, which leaves a copy here stale."""
    if atomic:
        drop(entry, sectors)
    elif local:
        entry.valid |= sectors
    else:
        entry.stored |= sectors


@njit(cache=True, forceinline=True)
def store_l2(entry, sectors, full):
    """A store at the line's owner: sectors written whole (`full`) become valid, others are to be merged."""
    whole = sectors & full
    entry.valid |= whole
    entry.partial = (entry.partial | sectors & ~entry.valid) & ~whole
    entry.dirty |= sectors


@njit(cache=True)
def written_whole(entry, sectors, words):
    """Sectors that stores of parts have covered by now, this one's among them, which writes `words` of each of `sectors`."""
    whole = 0
    for sector in range(SECTORS_PER_LINE):
        if sectors >> sector & 1:
            entry.words |= words << WORDS_PER_SECTOR * sector
            if entry.words >> WORDS_PER_SECTOR * sector & ALL_WORDS == ALL_WORDS:
                whole |= 1 << sector
    return whole


@njit(cache=True, forceinline=True)
def store_copy(entry, sectors, full):
    """A store passes the partition that does not own the line, and leaves there what it writes whole."""
    entry.valid |= sectors & full


@njit(cache=True, forceinline=True)
def add_l2(entry, sectors):
    """An atomic at the line's owner."""
    entry.dirty |= sectors


@njit(cache=True, forceinline=True)
def fill_l2(entry, sectors):
    """Sectors have come, from DRAM or from the partition that owns the line."""
    entry.valid |= sectors
    entry.partial &= ~sectors
    entry.pending &= ~sectors


@njit(cache=True, forceinline=True)
def drop(entry, sectors):
    """A copy of these sectors is stale."""
    entry.valid &= ~sectors


@njit(cache=True, forceinline=True)
def to_merge(entry):
    """Dirty sectors that were written in part: ECC covers whole bursts, so the rest is read before they go to DRAM."""
    return entry.dirty & entry.partial


@njit(cache=True, forceinline=True)
def clean(entry):
    """The dirty sectors have gone to DRAM, merged where they had to be; the line stays."""
    merged = to_merge(entry)
    entry.valid |= merged
    entry.dirty, entry.partial = 0, entry.partial & ~merged
