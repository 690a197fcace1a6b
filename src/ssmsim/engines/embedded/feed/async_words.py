"""What mbarrier operations and bulk copies leave in the pool, behind the lines of their access.

A SYNCS or ARRIVES has no lines and two words for each mbarrier that it names: the address, and an operand (of arrivals
their count with the transactions, see `counted`). A bulk copy has its lines and then OPERANDS words: shared address, mbarrier, bytes,
blocks of the cluster that it goes to, and for a copy between blocks the source's address.
"""

import numpy as np
from numba import njit

from ssmsim.architecture import LANES, LINE_BYTES, LINE_SHIFT, SECTOR_BYTES, SECTOR_SHIFT, SECTORS_PER_LINE
from ssmsim.engines.embedded.feed.line_word import word_of
from ssmsim.engines.embedded.sm.instruction import ARRIVE, BULK_SPACE, DROP, MBARRIER, REMOTE_STORE
from ssmsim.trace import im2col

ADDRESS, BARRIER, BYTES, TARGETS, SOURCE = range(5)
OPERANDS = 5
# Lanes of a bulk copy's row, as BlockTrace documents them.
ROW_SHARED, ROW_BARRIER, ROW_BYTES, ROW_MASK, ROW_SOURCE = 1, 2, 3, 4, 5
ROW_FIRST, ROW_RUN, ROW_COUNTS, ROW_STRIDES = 16, 17, 18, 22
MOST_PIXELS = 1024  # of a copy: CUDA driver API, cuTensorMapEncodeIm2col
COUNT_BITS = 24  # of arrivals, and the highest says that they drop out of later phases; transactions lie above
DROP_BIT = COUNT_BITS - 1
WINDOW = 0xFFFF_FFFF  # of a shared address: rank and offset


@njit(cache=True, forceinline=True)
def counted(arrivals, transactions):
    """One word of a number of arrivals and of transactions, which may be negative."""
    return transactions << COUNT_BITS | arrivals


@njit(cache=True, forceinline=True)
def arrivals_of(word):
    return word & (1 << DROP_BIT) - 1


@njit(cache=True, forceinline=True)
def drops(word):
    """Whether the phases after this one expect so many arrivals less."""
    return word >> DROP_BIT & 1


@njit(cache=True, forceinline=True)
def transactions_of(word):
    return word >> COUNT_BITS


@njit(cache=True)
def add(lines, first, count, address, word, sums):
    """Add a lane's operation to those of its instruction; the new number of barriers. sums: words are added, else one stands."""
    for k in range(count):
        if lines[first + 2 * k] == address:
            if sums:
                old = lines[first + 2 * k + 1]
                lines[first + 2 * k + 1] = counted(
                    arrivals_of(old) + arrivals_of(word), transactions_of(old) + transactions_of(word)
                )
            return count
    lines[first + 2 * count], lines[first + 2 * count + 1] = address, word
    return count + 1


@njit(cache=True)
def of_mbarriers(one, mask, operands, addresses, lines, first):
    """Words of a SYNCS or ARRIVES from lines[first] on; how many barriers."""
    count = 0
    for lane in range(LANES):
        if mask >> lane & 1:
            word = operands[lane]
            if one.syncs >= ARRIVE:
                word = counted(word if one.arrivals < 0 else one.arrivals, moved(one, word))
            count = add(lines, first, count, addresses[lane] & WINDOW, word, one.syncs >= ARRIVE)
    if one.syncs == DROP:
        for k in range(count):
            lines[first + 2 * k + 1] |= 1 << DROP_BIT
    return count


@njit(cache=True, forceinline=True)
def moved(one, word):
    """Transactions of a lane with this operand: its own where it names arrivals by a register."""
    if one.arrivals < 0:
        return 0
    return one.transactions // 2 if abs(one.transactions) == 2 else one.transactions * word


@njit(cache=True)
def of_remote_stores(mask, width, barriers, lines, first):
    """Words of a STAS or REDAS: the barriers that count its bytes."""
    count = 0
    for lane in range(LANES):
        if mask >> lane & 1:
            count = add(lines, first, count, barriers[lane] & WINDOW, counted(0, -width), True)
    return count


@njit(cache=True)
def run_lines(address, length, lines, first):
    """Lines of a run of bytes from lines[first] on, one word each; how many."""
    count, end = 0, address + length
    while address < end:
        line = address >> LINE_SHIFT
        last = min(end, line + 1 << LINE_SHIFT)
        sectors = full = 0
        for sector in range(address >> SECTOR_SHIFT, (last - 1 >> SECTOR_SHIFT) + 1):
            bit = 1 << (sector & SECTORS_PER_LINE - 1)
            sectors |= bit
            if sector << SECTOR_SHIFT >= address and (sector << SECTOR_SHIFT) + SECTOR_BYTES <= last:
                full |= bit
        lines[first + count] = word_of(line, full, sectors)
        count, address = count + 1, last
    return count


@njit(cache=True)
def of_pixels(row, lines, first):
    """Lines of a copy in im2col mode from lines[first] on, pixel by pixel; how many."""
    places = np.empty(MOST_PIXELS, np.int64)
    pixels, count = im2col.pixel_addresses(row, places), 0
    for k in range(pixels):
        if places[k] >= 0:
            count += run_lines(places[k], row[ROW_RUN], lines, first + count)
    return count


@njit(cache=True)
def of_bulk_copy(row, lines, first):
    """Lines of a bulk copy, run by run, and its operands behind them; how many lines."""
    count, address = 0, row[ROW_FIRST]
    if row[im2col.PIXELS] >= 0:
        count = of_pixels(row, lines, first)
    elif address >= 0 and row[ROW_RUN] > 0:
        for a in range(row[ROW_COUNTS + 3]):
            for b in range(row[ROW_COUNTS + 2]):
                for c in range(row[ROW_COUNTS + 1]):
                    for d in range(row[ROW_COUNTS]):
                        start = address + a * row[ROW_STRIDES + 3] + b * row[ROW_STRIDES + 2]
                        start += c * row[ROW_STRIDES + 1] + d * row[ROW_STRIDES]
                        count += run_lines(start, row[ROW_RUN], lines, first + count)
    at = first + count
    lines[at + ADDRESS], lines[at + BARRIER], lines[at + BYTES] = row[ROW_SHARED], row[ROW_BARRIER], row[ROW_BYTES]
    lines[at + TARGETS], lines[at + SOURCE] = row[ROW_MASK], row[ROW_SOURCE]
    return count


@njit(cache=True)
def room(program, code, index, addresses):
    """Words of the pool that the bulk copies and mbarrier operations of some warps take, at most."""
    total, row = 0, 0
    for i in range(len(index)):
        ins, one = program[index[i]], code[index[i]]
        if one.space == MBARRIER or one.space == REMOTE_STORE:
            total += 2 * LANES
        elif one.space == BULK_SPACE and ins.accesses:
            of = addresses[row]
            runs = of[im2col.PIXELS]
            if runs < 0:
                runs = of[ROW_COUNTS] * of[ROW_COUNTS + 1] * of[ROW_COUNTS + 2] * of[ROW_COUNTS + 3]
            total += OPERANDS + max(0, runs) * (max(0, of[ROW_RUN]) // LINE_BYTES + 2)
        row += ins.accesses
    return total
