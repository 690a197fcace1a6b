"""Sets of warps of a sub-core as masks: finding the members does not touch the records of the others."""

import numba
from llvmlite import ir
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
