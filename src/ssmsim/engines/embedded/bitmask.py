"""Bit masks: the lowest member of a set of warps (which does not touch the records of the others), members counted."""

import numba
from llvmlite import ir
from numba import njit
from numba.core import types
from numba.extending import intrinsic


def lowest_member(mask):
    """Number of the lowest bit that is set; one must be."""
    return int(mask & -mask).bit_length() - 1


@intrinsic
def count_trailing_zeros(typing_context, mask):
    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


lowest = lowest_member if numba.config.DISABLE_JIT else count_trailing_zeros


@njit(cache=True)
def popcount(word):
    """Bits set in a word of 32: sums of pairs, of fours, of bytes."""
    word = word - ((word >> 1) & 0x55555555)
    word = (word & 0x33333333) + ((word >> 2) & 0x33333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F
    word += word >> 8
    word += word >> 16
    return word & 63


@njit(cache=True)
def scramble(x):
    """A fixed mixing of address bits; the hardware's own hash is not published."""
    x ^= x >> 17
    x = ((x & 0x7FFFFFFF) * 0x1E3779B1 ^ x >> 31) & 0xFFFFFFFFFFFF
    x ^= x >> 23
    return x
