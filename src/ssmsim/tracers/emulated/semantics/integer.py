"""32-bit integer arithmetic with carries, wide multiplies, minima and maxima."""

from typing import Any

import numpy as np

Array = np.ndarray
U32 = np.uint32
U64 = np.uint64


def signed(value: Array) -> Array:
    return value.view(np.int32)


def wide(low: Array, high: Array) -> Array:
    """uint64 of two uint32 words."""
    return low.astype(U64) | (high.astype(U64) << U64(32))


def words(value: Array) -> Array:
    """uint32[2, ...] of uint64: low word, high word."""
    return np.stack([value.astype(U32), (value >> U64(32)).astype(U32)])


def iadd3(ins: Any, a: Array, b: Array, c: Array, carry0: Array | None, carry1: Array | None) -> tuple[Array | None, ...]:
    """a + b + c (+ carries in with .X); the two carry-outs count the overflows of the exact sum beyond 32 bits."""
    if not (ins.wants[1] or ins.wants[2] or ins.has("X")):
        return a + b + c, None, None
    total = a.astype(U64) + b + c
    for carry in (carry0, carry1):
        if carry is not None:
            total = total + carry
    overflow = total >> U64(32)
    return total.astype(U32), overflow >= 1, overflow >= 2


def viadd(ins: Any, a: Array, b: Array) -> Array:
    return a + b


def iabs(ins: Any, a: Array) -> Array:
    value = signed(a)
    return np.where(value < 0, U32(0) - a, a)
