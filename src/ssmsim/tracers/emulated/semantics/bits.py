"""Bitwise logic, shifts, permutes and counts."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.opcodes import SUPPORTED

Array = np.ndarray
U32, U64 = np.uint32, np.uint64


def mov(ins: Any, a: Array, *_: Any) -> Array:
    return a


def sel(ins: Any, a: Array, b: Array, p: Array) -> Array:
    return np.where(p, a, b)


DIRECT: dict[int, Callable[[Array, Array, Array], Array]] = {
    0xC0: lambda a, b, c: a & b,
    0xFC: lambda a, b, c: a | b,
    0x3C: lambda a, b, c: a ^ b,
    0xFE: lambda a, b, c: a | b | c,
    0x96: lambda a, b, c: a ^ b ^ c,
    0x80: lambda a, b, c: a & b & c,
    0xF8: lambda a, b, c: a | b & c,
    0xEA: lambda a, b, c: a & b | c,
    0x33: lambda a, b, c: ~b,
    0x30: lambda a, b, c: a & ~b,
}


def _logic(table: int, a: Array, b: Array, c: Array) -> Array:
    """Any function of three bits: bit 4a + 2b + c of `table`. Frequent ones directly."""
    if table in DIRECT:
        return DIRECT[table](a, b, c)
    result = np.zeros(np.broadcast_shapes(a.shape, b.shape, c.shape), a.dtype)
    for term in range(8):
        if table >> term & 1:
            result |= (a if term & 4 else ~a) & (b if term & 2 else ~b) & (c if term & 1 else ~c)
    return result


def lop3(ins: Any, a: Array, b: Array, c: Array, table: int, p: Array | None) -> tuple[Array | None, Array]:
    """Bitwise function of three words. The predicate: is the result non-zero, or p (.PAND: and p)."""
    result = _logic(table, a, b, c)
    if not ins.wants[0]:
        return None, result
    nonzero = result != 0
    if p is None:
        return nonzero, result
    return (nonzero & p if ins.has("PAND") else nonzero | p), result


def plop3(ins: Any, a: Array, b: Array, c: Array, table: int, second: int) -> tuple[Array, Array]:
    """Two boolean functions of three predicates."""
    return _logic(table, a, b, c), _logic(second, a, b, c)


def shf(ins: Any, a: Array, shift: Array, c: Array) -> Array:
    """Funnel shift of (c : a), a the low word: .L or .R by `shift`, clamped (.W: wrapped); .HI gives the upper word.

    The clamp is 32 for 32-bit types and 64 (all bits gone) for .U64 and .S64.
    """
    long = ins.has("U64") or ins.has("S64")
    limit = 64 if long else 32
    s = (shift & U32(limit - 1) if ins.has("W") else np.minimum(shift, U32(limit))).astype(U64)
    value = a.astype(U64) | c.astype(U64) << U64(32)
    gone, s = s >= 64, np.minimum(s, U64(63))
    if ins.has("L"):
        result = np.where(gone, U64(0), value << s)
    elif ins.has("S32") or ins.has("S64"):
        result = (value.view(np.int64) >> s.view(np.int64)).view(U64)
    else:
        result = np.where(gone, U64(0), value >> s)
    return (result >> U64(32)).astype(U32) if ins.has("HI") else result.astype(U32)


def sgxt(ins: Any, a: Array, width: Array) -> Array:
    """The low `width` bits of a, sign-extended (.U32: zero-extended)."""
    n = (width & U32(31) if ins.has("W") else np.minimum(width, U32(32))).astype(U64)
    kept = a.astype(U64) & ((U64(1) << n) - U64(1))
    if ins.has("U32"):
        return kept.astype(U32)
    sign = np.where(n == 0, U64(0), U64(1) << np.maximum(n, U64(1)) - U64(1))
    return ((kept ^ sign) - sign).astype(U32)


def bmsk(ins: Any, start: Array, width: Array) -> Array:
    """`width` ones from bit `start` up."""
    if ins.has("W"):
        s, n = (start & U32(31)).astype(U64), (width & U32(31)).astype(U64)
    else:
        s, n = np.minimum(start, U32(32)).astype(U64), np.minimum(width, U32(32)).astype(U64)
    return (((U64(1) << n) - U64(1)) << s).astype(U32)


# Modes of PRMT: which byte goes to place k, by the two bits of the selector (PTX ISA, `prmt`).
BYTE_OF: dict[str, Callable[[Array, np.uint32], Array]] = {
    "F4E": lambda n, k: n + k,
    "B4E": lambda n, k: n - k & U32(7),
    "RC8": lambda n, k: n,
    "ECL": lambda n, k: np.maximum(n, k),
    "ECR": lambda n, k: np.minimum(n, k),
    "RC16": lambda n, k: U32(2) * (n & U32(1)) + (k & U32(1)),
}


def prmt(ins: Any, a: Array, selector: Array, b: Array) -> Array:
    """Bytes of (b : a), a the low word, chosen by four nibbles of the selector; a nibble's top bit spreads the sign."""
    mode = next((m for m in ins.mods if m in BYTE_OF), "")
    odd = ins.mods - {mode}
    if odd:
        raise SsmsimError(f"no semantics for modifier {', '.join(sorted(odd))}", ins.where, SUPPORTED)
    value = a.astype(U64) | b.astype(U64) << U64(32)
    result = np.zeros((1, 1), U32)
    for k in range(4):
        nibble = BYTE_OF[mode](selector & U32(3), U32(k)) if mode else selector >> U32(4 * k) & U32(15)
        byte = (value >> (U64(8) * (nibble & U32(7)).astype(U64))).astype(U32) & U32(0xFF)
        spread = np.where(byte & U32(0x80) != 0, U32(0xFF), U32(0))
        result = result | np.where(nibble & U32(8) != 0, spread, byte) << U32(8 * k)
    return result


def popc(ins: Any, a: Array) -> Array:
    return np.bitwise_count(a).astype(U32)


def _leading(a: Array) -> Array:
    """Index of the highest set bit, 0xFFFFFFFF when there is none."""
    exponent = np.frexp(a.astype(np.float64))[1]
    return (exponent - 1).astype(np.int32).view(U32)


def flo(ins: Any, a: Array) -> tuple[Array, Array | None]:
    """Highest bit set; signed (no .U32): highest bit unlike the sign. .SH: its distance from bit 31."""
    value = a if ins.has("U32") else np.where(a.view(np.int32) < 0, ~a, a)
    place = _leading(value)
    none = value == 0
    if ins.has("SH"):
        place = np.where(none, place, U32(31) - place)
    return place, ~none if ins.wants[1] else None


def brev(ins: Any, a: Array) -> Array:
    for step, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF), (16, 0x0000FFFF)):
        a = (a >> U32(step) & U32(mask)) | (a & U32(mask)) << U32(step)
    return a
