"""Pieces of a page dealt to slices in rounds, each of which begins somewhere else: as close to Hopper as is known.

Our microbenchmark l2/slice_hash, see address_map.py.
"""

from numba import njit

from ssmsim.engines.embedded.bitmask import scramble

SLICE_ROUND = 4  # granules of a piece of a page, dealt out to its slices by turns


@njit(cache=True)
def piece_of(m, line):
    """(page, piece): the line's piece among those of its partition; of every two pages each partition has one."""
    page = line // m.l2_page
    return page, line // (SLICE_ROUND * m.l2_granule) % m.l2_pieces + page // m.l2.partitions * m.l2_pieces


@njit(cache=True, forceinline=True)
def home_of(m, line):
    """Slice that owns the line."""
    page, piece = piece_of(m, line)
    side = (page + (scramble(page // m.l2.partitions) >> 7)) % m.l2.partitions
    start = scramble(piece // m.l2_pairs * m.l2.partitions + side)
    return (side * m.l2_pairs + (piece + start) % m.l2_pairs) * m.l2_pair + (
        line // m.l2_granule + (start >> 20)
    ) % m.l2_pair


@njit(cache=True, forceinline=True)
def number_of(m, line):
    """The line's place among those of its slice; no two have the same."""
    _, piece = piece_of(m, line)
    granule = piece // m.l2_pairs * SLICE_ROUND + line // m.l2_granule % SLICE_ROUND
    return granule // m.l2_pair * m.l2_granule + line % m.l2_granule
