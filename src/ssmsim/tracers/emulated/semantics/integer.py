"""Integer arithmetic: adds with carries, wide multiplies, minima and maxima, comparisons, byte-wise sums."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.opcodes import SUPPORTED

Array = np.ndarray
U32, U64 = np.uint32, np.uint64
THIRTY_TWO = U64(32)


def signed(value: Array) -> Array:
    """The same bits as int32."""
    return value.view(np.int32)


def wide(words_: Array) -> Array:
    """uint64 of uint32[2, ...], low word first."""
    return words_[0].astype(U64) | words_[1].astype(U64) << THIRTY_TWO


def words(value: Array) -> Array:
    """uint32[2, ...] of uint64, low word first."""
    return np.stack([value.astype(U32), (value >> THIRTY_TWO).astype(U32)])


def _negated_zero(ins: Any, k: int, value: Array) -> Array | None:
    """-b enters the adder as ~b + 1, which carries out when b is 0: the lanes where it does."""
    source = ins.sources[k]
    return value == 0 if source is not None and source.negate else None


def iadd3(
    ins: Any, a: Array, b: Array, c: Array, carry0: Array | None, carry1: Array | None
) -> tuple[Array | None, ...]:
    """a + b + c (+ two carries with .X); the carries out say whether the exact sum reaches 2^32 once, twice. .64:
    pairs.
    """
    if ins.has("64"):
        return words(wide(a) + wide(b) + wide(c)), None, None
    carries = [x for x in (carry0, carry1) if x is not None] if ins.has("X") else []
    if not (ins.wants[1] or ins.wants[2] or carries):
        return a + b + c, None, None
    total = a.astype(U64) + b + c
    for carry in carries:
        total = total + carry
    for k, value in enumerate((a, b, c)):
        wraps = _negated_zero(ins, k, value)
        if wraps is not None:
            total = total + (wraps.astype(U64) << THIRTY_TWO)
    overflow = total >> THIRTY_TWO
    return total.astype(U32), overflow >= 1, overflow >= 2


def iadd(ins: Any, a: Array, b: Array, carry: Array | None) -> tuple[Array, Array]:
    total = a.astype(U64) + b
    if carry is not None and ins.has("X"):
        total = total + carry
    return total.astype(U32), total >> THIRTY_TWO != 0


def viadd(ins: Any, a: Array, b: Array) -> Array:
    """a + b; .16x2 and its kin: two 16-bit sums of their own."""
    odd = ins.mods - {"U32", "S32", "16x2"} - HALVES
    if odd:
        raise SsmsimError(f"no semantics for modifier {', '.join(sorted(odd))}", ins.where, SUPPORTED)
    return _add_halves(a, b) if ins.mods & (HALVES | {"16x2"}) else a + b


def _add_halves(a: Array, b: Array) -> Array:
    return (a + b & U32(0xFFFF)) | (a & U32(0xFFFF0000)) + (b & U32(0xFFFF0000))


def iabs(ins: Any, a: Array) -> Array:
    return np.where(signed(a) < 0, U32(0) - a, a)


def _pick(ins: Any, a: Array, b: Array, smaller: Array) -> Array:
    """The smaller where the predicate holds, else the larger; signed unless .U32. .RELU: never below 0."""
    if ins.mods & HALVES:
        return _pick_halves(ins, a, b, smaller)
    x, y = (a, b) if ins.has("U32") else (a.view(np.int32), b.view(np.int32))
    result = np.where(smaller, np.minimum(x, y), np.maximum(x, y))
    return (np.maximum(result, 0) if ins.has("RELU") else result).view(U32)


HALVES = frozenset(["S16x2", "U16x2"])


def _pick_halves(ins: Any, a: Array, b: Array, smaller: Array) -> Array:
    """The same for two 16-bit numbers of a register."""
    result = np.zeros((1, 1), U32)
    for shift in (U32(0), U32(16)):
        kind = np.dtype(np.uint16 if ins.has("U16x2") else np.int16)
        x, y = (((v >> shift) & U32(0xFFFF)).astype(np.uint16).view(kind) for v in (a, b))
        half = np.where(smaller, np.minimum(x, y), np.maximum(x, y))
        half = np.maximum(half, 0) if ins.has("RELU") else half
        result = result | half.view(np.uint16).astype(U32) << shift
    return result


def _plain(ins: Any) -> None:
    odd = ins.mods - {"U32", "S32", "RELU"} - HALVES
    if odd:
        raise SsmsimError(f"no semantics for modifier {', '.join(sorted(odd))}", ins.where, SUPPORTED)


def vimnmx(ins: Any, a: Array, b: Array, smaller: Array) -> Array | tuple[Array | None, ...]:
    """The predicates of the halves (__vibmax_s16x2): is the result of the low one, of the high one, that of a?"""
    _plain(ins)
    result = _pick(ins, a, b, smaller)
    if not any(ins.wants[1:]):
        return (result, None, None)[: len(ins.wants)]
    if not ins.mods & HALVES or ins.has("RELU"):
        raise SsmsimError("predicates of this minimum are not supported", ins.where, SUPPORTED)
    same = result ^ a
    return result, same & U32(0xFFFF) == 0, same >> U32(16) == 0


def vimnmx3(ins: Any, a: Array, b: Array, c: Array, smaller: Array) -> Array:
    """The smallest of three where the predicate holds, else the largest."""
    _plain(ins)
    return _pick(ins, _pick(ins, a, b, smaller), c, smaller)


def viaddmnmx(ins: Any, a: Array, b: Array, c: Array, smaller: Array) -> Array:
    _plain(ins)
    if ins.mods & HALVES:
        return _pick_halves(ins, _add_halves(a, b), c, smaller)
    return _pick(ins, a + b, c, smaller)


def imad(ins: Any, a: Array, b: Array, c: Array, carry: Array | None) -> tuple[Array, Array | None]:
    """a * b + c. .WIDE: 64 bits; .HI: the upper 32 bits of the 64-bit sum with a 64-bit c; .X adds the carry."""
    narrow = not (ins.has("WIDE") or ins.has("HI"))
    adds_carry = carry is not None and ins.has("X")
    if narrow and not ins.wants[1]:
        low = a * b + c
        return low + carry if adds_carry else low, None
    if narrow:
        product = (a * b).astype(U64) + c
        total = product + carry if adds_carry else product
        return total.astype(U32), total >> THIRTY_TWO != 0
    if ins.has("U32"):
        product = a.astype(U64) * b.astype(U64)
    else:
        product = (signed(a).astype(np.int64) * signed(b).astype(np.int64)).view(U64)
    addend = wide(c)
    total = product + addend
    carry_out = total < product
    if adds_carry:
        total = total + carry
        carry_out = carry_out | (carry & (total == 0))
    if ins.has("HI"):
        return (total >> THIRTY_TWO).astype(U32), carry_out
    return words(total), carry_out


COMPARE: dict[str, Callable[[Array, Array], Array]] = {
    "LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal, "EQ": np.equal, "NE": np.not_equal,
    "F": lambda a, b: np.zeros(np.broadcast_shapes(a.shape, b.shape), bool),
    "T": lambda a, b: np.ones(np.broadcast_shapes(a.shape, b.shape), bool),
}  # fmt: skip
STRICT = {"LE": "LT", "GE": "GT"}


def combine(ins: Any, holds: Array, p: Array) -> tuple[Array, Array | None]:
    """(holds op p, not holds op p) for the .AND, .OR or .XOR of a set-predicate instruction."""
    if ins.has("OR"):
        return holds | p, ~holds | p if ins.wants[1] else None
    if ins.has("XOR"):
        return holds ^ p, ~holds ^ p if ins.wants[1] else None
    return holds & p, ~holds & p if ins.wants[1] else None


def isetp(ins: Any, a: Array, b: Array, p: Array, below: Array | None) -> tuple[Array, Array | None]:
    """Compare; .EX compares upper words, `below` being the verdict on the lower ones."""
    name = next(m for m in ins.mods.order if m in COMPARE)
    x, y = (a, b) if ins.has("U32") else (a.view(np.int32), b.view(np.int32))
    if ins.has("EX") and below is not None:
        if name in ("EQ", "NE"):
            holds = COMPARE[name](x, y)
            holds = holds & below if name == "EQ" else holds | below
        else:
            holds = COMPARE[STRICT.get(name, name)](x, y) | (x == y) & below
    else:
        holds = COMPARE[name](x, y)
    return combine(ins, holds, p)


def lea(ins: Any, a: Array, b: Array, *rest: Array | None) -> tuple[Array, Array]:
    """(a << shift) + b. .HI: the upper word of (c : a) << shift, plus b; .SX32: c is a's sign. .X adds the carry."""
    *middle, shift, carry = rest
    assert shift is not None
    s = shift.astype(U64) & U64(31)
    if ins.has("HI"):
        upper = (signed(a) >> 31).view(U32) if ins.has("SX32") else middle[0]
        assert upper is not None
        shifted = (a.astype(U64) | upper.astype(U64) << THIRTY_TWO) << s >> THIRTY_TWO
    else:
        shifted = a.astype(U64) << s & U64(0xFFFFFFFF)
    total = shifted + b
    if carry is not None and ins.has("X"):
        total = total + carry
    for k, value in ((1, b),) if ins.has("HI") else ((0, shifted), (1, b)):
        wraps = _negated_zero(ins, k, value)
        if wraps is not None:
            total = total + (wraps.astype(U64) << THIRTY_TWO)
    return total.astype(U32), total >> THIRTY_TWO != 0


def _bytes(value: Array, is_signed: bool) -> list[Array]:
    parts = [(value >> U32(8 * k)) & U32(0xFF) for k in range(4)]
    return [((p ^ U32(0x80)) - U32(0x80)) if is_signed else p for p in parts]


def idp(ins: Any, a: Array, b: Array, c: Array) -> Array:
    """Dot product of four bytes (.4A), or of two halves with two bytes of b (.2A.LO, .2A.HI), plus c."""
    kinds = [m for m in ins.mods.order if m in ("S8", "U8", "S16", "U16")] or ["U8", "U8"]
    other = _bytes(b, kinds[-1][0] == "S")
    if ins.has("4A"):
        pairs = zip(_bytes(a, kinds[0][0] == "S"), other, strict=True)
    else:
        halves = [(a >> U32(16 * k)) & U32(0xFFFF) for k in range(2)]
        if kinds[0][0] == "S":
            halves = [(h ^ U32(0x8000)) - U32(0x8000) for h in halves]
        pairs = zip(halves, other[2:] if ins.has("HI") else other[:2], strict=True)
    total = c
    for x, y in pairs:
        total = total + x * y
    return total


def vabsdiff(ins: Any, a: Array, b: Array, c: Array) -> Array:
    """|a - b| + c."""
    x, y = (a, b) if ins.has("U32") else (a.view(np.int32), b.view(np.int32))
    return np.where(x > y, a - b, b - a) + c


def vabsdiff4(ins: Any, a: Array, b: Array, c: Array) -> Array:
    """Absolute differences of four bytes, packed, or with .ACC summed onto c."""
    is_signed = ins.has("S8")
    result = c.astype(U32) if ins.has("ACC") else np.zeros((1, 1), U32)
    for k, (x, y) in enumerate(zip(_bytes(a, is_signed), _bytes(b, is_signed), strict=True)):
        difference = np.where(signed(x) > signed(y), x - y, y - x)
        result = result + difference if ins.has("ACC") else result | (difference & U32(0xFF)) << U32(8 * k)
    return result
