"""Random replacement that repeats: the line that comes and the last use of the set's first way draw the victim."""

from numba import njit

from ssmsim.engines.embedded.bitmask import scramble
from ssmsim.engines.embedded.state.records import NONE


@njit(cache=True)
def victim(tags, lines, first, ways, line):
    drawn = scramble(line ^ tags[first].used << 20) % ways
    for i in range(ways):
        way = first + (drawn + i) % ways
        if lines[way].pending == 0:
            return way
    return NONE
