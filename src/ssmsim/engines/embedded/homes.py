"""Where a line lives: its partition, its slice of the L2, its place there, its DRAM bank and when that is refreshed.

Our microbenchmark homes tells slices apart by their latencies from all SMs: a page of 4 KB lies in one partition, each
KB of it in two slices that take 256 bytes by turns (a a b b a a b b, in lines), the page in eight; of 64 KB each slice
has one or two such pieces, of 512 KB ten or twelve. Which slices these are is not published and mixed here: pieces go
round the slices of their partition, and each round begins somewhere else.
"""

from numba import njit

TURNS = 4  # granules of a piece of a page, dealt out to its slices by turns
REFRESH_SLICES = 6  # 16 pages of 96 slices are refreshed at one time: our microbenchmark refresh, phase


@njit(cache=True)
def scramble(x):
    """A fixed mixing of address bits; the hardware's own hash is not published."""
    x ^= x >> 17
    x = ((x & 0x7FFFFFFF) * 0x1E3779B1 ^ x >> 31) & 0xFFFFFFFFFFFF
    x ^= x >> 23
    return x


@njit(cache=True)
def piece_of(m, line):
    """(page, piece): the line's piece among those of its partition; of every two pages each partition has one."""
    page = line // m.l2_page
    return page, line // (TURNS * m.l2_granule) % m.l2_pieces + page // m.partitions * m.l2_pieces


@njit(cache=True)
def home_of(m, line):
    """Slice that owns the line."""
    page, piece = piece_of(m, line)
    side = (page + (scramble(page // m.partitions) >> 7)) % m.partitions
    start = scramble(piece // m.l2_pairs * m.partitions + side)
    return (side * m.l2_pairs + (piece + start) % m.l2_pairs) * m.l2_pair + (
        line // m.l2_granule + (start >> 20)
    ) % m.l2_pair


@njit(cache=True)
def number_of(m, line):
    """The line's place among those of its slice; no two have the same."""
    _, piece = piece_of(m, line)
    granule = piece // m.l2_pairs * TURNS + line // m.l2_granule % TURNS
    return granule // m.l2_pair * m.l2_granule + line % m.l2_granule


@njit(cache=True)
def bank_of(m, line):
    """Bank of a line in its channel: a slice's lines go round the banks, and each round begins somewhere else.

    Our microbenchmark pieces: reads of 512 B and 2 KB wait for DRAM as much as such of 128 B do, so their lines do not
    share a row; nor do lines of a piece wait for each other (mixed: 1000.0). That they go round is assumed.
    """
    place = number_of(m, line)
    return (place + (scramble(place // m.banks) >> 3)) % m.banks


@njit(cache=True)
def refresh_of(m, line):
    """Which of the refresh groups a piece is in: one for all 64 KB around it, but for a quarter of the pieces.

    Our microbenchmark refresh, phase: 16 pages are refreshed at one time; a quarter of their pieces 1/4, 1/2 or 3/4 of
    the interval later. A part of the GPU has fewer channels, each with as much of a group.
    """
    page, piece = piece_of(m, line)
    mixed = scramble(piece) >> 5
    away = (mixed >> 2) % 3 + 1 if mixed & 3 == 0 else 0
    usual = scramble(page // max(1, m.l2_slices // REFRESH_SLICES))
    return (usual + away * m.refresh_groups // 4) % m.refresh_groups
