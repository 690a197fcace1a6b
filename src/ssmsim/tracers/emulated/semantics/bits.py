"""Bitwise logic, shifts, permutes and counts."""

from typing import Any

import numpy as np

Array = np.ndarray
U32 = np.uint32
U64 = np.uint64


def mov(ins: Any, a: Array) -> Array:
    return a


def sel(ins: Any, a: Array, b: Array, p: Array) -> Array:
    return np.where(p, a, b)


def lop3(ins: Any, a: Array, b: Array, c: Array, table: int, p: Array | None) -> tuple[Array | None, Array]:
    """Any function of three bits: bit 4a+2b+c of `table`. The predicate says whether the result is non-zero, or p."""
    result = np.zeros(np.broadcast_shapes(a.shape, b.shape, c.shape), U32)
    for term in range(8):
        if table >> term & 1:
            result |= (a if term & 4 else ~a) & (b if term & 2 else ~b) & (c if term & 1 else ~c)
    nonzero = result != 0
    return nonzero if p is None else nonzero | p, result
