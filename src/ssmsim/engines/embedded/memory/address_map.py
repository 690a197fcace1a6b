"""Where a line lives: its partition, its slice of the L2, its place there, its DRAM bank and when that is refreshed.

Our microbenchmark homes tells slices apart by their latencies from all SMs: a page of 4 KB lies in one partition, each
KB of it in two slices that take 256 bytes by turns (a a b b a a b b, in lines), the page in eight; of 64 KB each slice
has one or two such pieces, of 512 KB ten or twelve. Which slices these are is not published and mixed here: pieces go
round the slices of their partition, and each round begins somewhere else.
"""

from numba import njit

TURNS = 4  # granules of a piece of a page, dealt out to its slices by turns
ROW_ROUNDS = 4  # granules of 256 bytes that a row has: our microbenchmark channel, rows
IDLE_TICKS = 4  # of 52, without refresh of any bank; 5 of 53 on an H200: our microbenchmark refresh, ticks


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
def dram_of(m, slice_, line):
    """(channel of the slice, bank, row) of a line.

    Our microbenchmark channel, rows: a piece of 512 bytes has 256 in each of the slice's two channels, in banks of one
    number; the next piece is in another bank, 16 pieces in all 16, each round in another order. A row has 1 KB, of four
    rounds: pieces some 640 KB apart. The order within a round is mixed here: it begins somewhere else in each.
    """
    granule = number_of(m, line) // m.l2_granule
    per_slice = max(1, m.channels // m.l2_slices)
    number = granule // per_slice
    part = (granule + (scramble(number) >> 9)) % per_slice  # unmixed, a column of a matrix had half of the channels
    round_ = number // m.banks
    bank = (number + (scramble(round_) >> 3)) % m.banks
    return part, bank, (round_ // ROW_ROUNDS) * m.l2_slices + slice_ + 1


@njit(cache=True)
def refresh_of(m, channel, bank):
    """Cycles by which the refresh of a bank comes after the first of an interval.

    Our microbenchmark channel, rows: the lines of a bank wait for refresh at one time, and the banks take turns; refresh,
    phase: at 48 even times of the interval, three to a bank number, then 4 or 5 are left out. A quarter of an interval
    lies between most pieces of 64 KB that differ, a bank's time between the partitions. Which third a channel has is mixed.
    """
    turn = bank % 4 * ((m.banks + 3) // 4) + bank // 4 + channel * m.partitions // m.channels
    thirds = max(1, m.refresh_groups // m.banks)
    return (turn * thirds + channel % thirds) * m.refresh_interval // (m.refresh_groups + IDLE_TICKS)
