"""What an instruction asked for last, so that the same pattern of addresses is not worked out again.

A warp's addresses mostly are those that the instruction had before, all moved by one distance. Where that is a whole
number of lines, sectors, banks and lanes that share a word are the same: only the lines' numbers change.
"""

import numpy as np
from numba import njit

from ssmsim.architecture import LANES, LINE_BYTES, LINE_SHIFT
from ssmsim.engines.embedded.feed.line_word import LINE_AT

# Columns of what is known, one row per instruction: the sums are those of coalesce.py that the access added, the rows its
# addresses (two at most), the words its lines as coalesce.py writes them, then what it writes of a sector. A mask of 0: nothing is known.
MASK, LINES, WAVEFRONTS, SUMS, ROWS, WORDS, WRITTEN, COLUMNS = 0, 1, 2, 3, 16, 80, 112, 113


def nothing(instructions: int) -> np.ndarray:
    """int64[instructions, COLUMNS], to be handed to coalesce.load_block each time."""
    return np.zeros((instructions, COLUMNS), np.int64)


@njit(cache=True)
def distance(known, column, row):
    """By how much all lanes have moved since `known`: whole lines, all to addresses of 0 or more; else 1."""
    by, signs, differ = row[0] - known[column], row[0], 0
    for lane in range(LANES):
        differ |= (row[lane] - known[column + lane]) ^ by
        signs |= row[lane]
    return by if differ == 0 and signs >= 0 and by & LINE_BYTES - 1 == 0 else 1


@njit(cache=True)
def repeat(known, mask, addresses, row, rows, access, lines, first, sums):
    """Make the access from what the instruction did last; False where that does not tell."""
    if known[MASK] != mask:
        return False
    by = 0  # of the last row, which is the global one
    for k in range(rows):
        by = distance(known, ROWS + LANES * k, addresses[row + k])
        if by == 1:
            return False
    access.lines, access.wavefronts, access.words = known[LINES], known[WAVEFRONTS], known[WRITTEN]
    for i in range(known[LINES]):
        lines[first + i] = known[WORDS + i] + (by >> LINE_SHIFT << LINE_AT)
    for i in range(ROWS - SUMS):
        sums[i] += known[SUMS + i]
    return True


@njit(cache=True)
def remember(known, mask, addresses, row, rows, access, lines, first, sums):
    """Note an access, unless lanes read nothing: those do not move with the others. sums: what it alone added."""
    known[MASK], known[LINES], known[WAVEFRONTS], known[WRITTEN] = mask, access.lines, access.wavefronts, access.words
    for k in range(rows):
        for lane in range(LANES):
            address = addresses[row + k, lane]
            known[ROWS + LANES * k + lane] = address
            if address < 0:
                known[MASK] = 0
    for i in range(access.lines):
        known[WORDS + i] = lines[first + i]
    for i in range(ROWS - SUMS):
        known[SUMS + i] = sums[i]
