"""Where a line lives: its partition, its slice of the L2, its place there, its DRAM bank and when that is refreshed.

Our microbenchmark l2/slice_hash tells slices apart by their latencies from all SMs: a page of 4 KB lies in one
partition, each KB of it in two slices that take 256 bytes by turns (a a b b a a b b, in lines), the page in eight; of
64 KB each slice has one or two such pieces, of 512 KB ten or twelve. Which slices these are is not published and mixed
here: pieces go round the slices of their partition, and each round begins somewhere else.
"""

from numba import njit

from ssmsim.engines.embedded.bitmask import scramble
from ssmsim.engines.embedded.memory.l2 import hash
from ssmsim.engines.embedded.plugins import chosen

ROW_ROUNDS = 4  # granules of 256 bytes that a row has: our microbenchmark dram/bank_mapping, rows


_home_of, _number_of = chosen(hash, "home_of"), chosen(hash, "number_of")


@njit(cache=True)
def home_of(m, line):
    """Slice that owns the line."""
    return _home_of(m.slice_hash, m, line)


@njit(cache=True)
def number_of(m, line):
    """The line's place among those of its slice; no two have the same."""
    return _number_of(m.slice_hash, m, line)


@njit(cache=True)
def keeps_copies(m):
    """Whether a partition of the L2 keeps copies of lines that the other one owns."""
    return m.l2.far_copies and m.l2.partitions == 2


@njit(cache=True)
def slice_beyond(m, slice_):
    """The slice of the same place in the other partition."""
    return (slice_ + m.l2.slices // 2) % m.l2.slices


@njit(cache=True)
def dram_of(m, slice_, line):
    """(channel of the slice, bank, row) of a line.

    Our microbenchmark dram/bank_mapping, rows: a piece of 512 bytes has 256 in each of the slice's two channels, in
    banks of one number; the next piece is in another bank, 16 pieces in all 16, each round in another order. A row has
    1 KB, of four rounds: pieces some 640 KB apart. The order within a round is mixed here: it begins somewhere else in
    each.
    """
    granule = number_of(m, line) // m.l2_granule
    per_slice = max(1, m.dram.channels // m.l2.slices)
    number = granule // per_slice
    part = (granule + (scramble(number) >> 9)) % per_slice  # unmixed, a column of a matrix had half of the channels
    round_ = number // m.dram.banks_per_channel
    bank = (number + (scramble(round_) >> 3)) % m.dram.banks_per_channel
    return part, bank, (round_ // ROW_ROUNDS) * m.l2.slices + slice_ + 1


@njit(cache=True)
def refresh_of(m, channel, bank):
    """Cycles by which the refresh of a bank comes after the first of an interval.

    Our microbenchmark dram/bank_mapping, rows: the lines of a bank wait for refresh at one time, and the banks take turns;
    dram/refresh_timing, phase: at 48 even times of the interval, three to a bank number, then 4 or 5 are left out. A
    quarter of an interval lies between most pieces of 64 KB that differ, a bank's time between the partitions. Which
    third a channel has is mixed.
    """
    turn = bank % 4 * ((m.dram.banks_per_channel + 3) // 4) + bank // 4 + channel * m.l2.partitions // m.dram.channels
    thirds = max(1, m.dram.refresh_groups // m.dram.banks_per_channel)
    return (
        (turn * thirds + channel % thirds)
        * m.dram.refresh_interval_cycles
        // (m.dram.refresh_groups + m.dram.refresh_idle_groups)
    )
