"""Least recently used."""

from numba import njit

from ssmsim.engines.embedded.state.records import INF, NONE


@njit(cache=True)
def victim(tags, lines, first, ways, line):
    way_used, oldest = NONE, INF
    for way in range(first, first + ways):
        if tags[way].used < oldest and lines[way].pending == 0:
            way_used, oldest = way, tags[way].used
    return way_used
