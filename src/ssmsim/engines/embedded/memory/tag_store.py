"""Tags of the data caches: a search reads the tags of one set, and what the ways hold only to replace one.

Kept apart from the lines that they name, sixteen bytes a way, since the host's own caches decide how fast a search is.
"""

from numba import njit

from ssmsim.architecture import SECTORS_PER_LINE
from ssmsim.engines.embedded.memory import replacement
from ssmsim.engines.embedded.memory.address_map import number_of
from ssmsim.engines.embedded.plugins import chosen
from ssmsim.engines.embedded.state.records import NONE, record

victim = chosen(replacement, "victim")

# A way of a cache: number of the line that it holds plus one (0: none) and last use; see tag_store.py.
TAG = record("line", "used")


@njit(cache=True)
def search(policy, tags, lines, first, ways, line):
    """Way of the set that holds the line, or NONE; the way to give up for it, or NONE when all await data."""
    found = NONE
    for way in range(first, first + ways):  # to the end, so that the compiler compares eight at once
        if tags[way].line == line + 1:
            found = way
    if found != NONE:
        return found, found
    return NONE, victim(policy, tags, lines, first, ways, line)


@njit(cache=True)
def likely(tags, first, ways, line):
    """The way that search() will very probably give: where the line is, or the one used longest ago."""
    oldest = first
    for way in range(first, first + ways):
        if tags[way].line == line + 1:
            return way
        if tags[way].used < tags[oldest].used:
            oldest = way
    return oldest


@njit(cache=True)
def find_l1(m, l1_tags, l1_lines, s, line):
    """search() in the L1 of SM s."""
    return search(m.l1_replacement, l1_tags, l1_lines, set_of_l1(m, s, line) * m.l1_ways, m.l1_ways, line)


@njit(cache=True)
def set_of_l1(m, s, line):
    return s * m.l1_sets + (line ^ line >> 5 ^ line >> 11) % m.l1_sets


@njit(cache=True)
def find_l2(m, l2_tags, l2_lines, slice_, line):
    """search() in a slice of the L2."""
    return search(m.l2_replacement, l2_tags, l2_lines, set_of_l2(m, slice_, line) * m.l2.ways, m.l2.ways, line)


@njit(cache=True)
def set_of_l2(m, slice_, line):
    return slice_ * m.l2_sets + set_in_slice(m, line)


@njit(cache=True)
def set_in_slice(m, line):
    local = number_of(m, line)
    return (local ^ local >> 9 ^ local >> 17) % m.l2_sets


@njit(cache=True, forceinline=True)
def first_way(m, fill, slice_):
    """Of the set of a slice that may hold the line of a request, which has been worked out when it was sent."""
    return (slice_ * m.l2_sets + fill.set) * m.l2.ways


@njit(cache=True)
def expect(entry, sectors, who):
    """Note who brings these sectors of a line."""
    for sector in range(SECTORS_PER_LINE):
        if sectors >> sector & 1:
            entry.awaited[sector] = who


@njit(cache=True)
def bringer(entry, sectors):
    """Who brings the last of the sectors that are on their way. Sectors asked for apart may come apart: one is enough."""
    who = 0
    for sector in range(SECTORS_PER_LINE):
        if sectors & entry.pending & 1 << sector:
            who = entry.awaited[sector]
    return who
