"""A line that an instruction asks for, as one word of the pool: its number, sectors written whole, sectors asked for.

Mask of sectors in the lowest SECTORS_PER_LINE bits, mask of whole ones above it, then the line's number.
"""

from numba import njit

from ssmsim.architecture import ALL_SECTORS, SECTORS_PER_LINE

LINE_AT = 2 * SECTORS_PER_LINE  # lowest bit of the number


@njit(cache=True, forceinline=True)
def word_of(line, full, sectors):
    return line << LINE_AT | full << SECTORS_PER_LINE | sectors


@njit(cache=True, forceinline=True)
def line_of(word):
    return word >> LINE_AT


@njit(cache=True, forceinline=True)
def full_of(word):
    """Mask of the sectors whose bytes are all written."""
    return word >> SECTORS_PER_LINE & ALL_SECTORS


@njit(cache=True, forceinline=True)
def sectors_of(word):
    return word & ALL_SECTORS
