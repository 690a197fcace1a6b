"""float64 arithmetic and comparison: exact IEEE 754 results, subnormals and rounding modes included."""

from typing import Any

import numpy as np

from ssmsim.tracers.emulated.semantics.float32 import TESTS
from ssmsim.tracers.emulated.semantics.formats import (
    F64,
    Array,
    combine,
    compare,
    f64,
    known,
    rounding,
    sum_to_odd,
    words,
)

SPLIT = F64(2**27 + 1)
FAR = 200  # binary places: beyond them the smaller term is only felt as "a little more" or "a little less"


def dadd(ins: Any, a: Array, b: Array) -> Array:
    known(ins, "RM RP RZ")
    with np.errstate(all="ignore"):
        x, y = f64(a), f64(b)
        mode = rounding(ins.mods)
        return words(x + y if mode == "RN" else fma(x, np.ones_like(x), y, mode))


def dmul(ins: Any, a: Array, b: Array) -> Array:
    known(ins, "RM RP RZ")
    with np.errstate(all="ignore"):
        x, y = f64(a), f64(b)
        mode = rounding(ins.mods)
        return words(x * y if mode == "RN" else fma(x, y, np.copysign(F64(0), x) * np.copysign(F64(1), y), mode))


def dfma(ins: Any, a: Array, b: Array, c: Array) -> Array:
    known(ins, "RM RP RZ")
    with np.errstate(all="ignore"):
        return words(fma(f64(a), f64(b), f64(c), rounding(ins.mods)))


def dsetp(ins: Any, a: Array, b: Array, p: Array) -> tuple[Array, Array]:
    """The test and its negation, each combined with p. .MIN, .MAX: is it a? and: are both NaN?"""
    known(ins, TESTS + " MIN MAX")
    if ins.mods & {"MIN", "MAX"}:
        x, y = f64(a), f64(b)
        less = np.where(x == y, np.signbit(x) & ~np.signbit(y), x < y)
        first = np.isnan(y) & ~np.isnan(x) | ~np.isnan(x) & (less == ("MIN" in ins.mods))
        return combine(ins, first, p), combine(ins, np.isnan(x) & np.isnan(y), p)
    test = compare(ins, f64(a), f64(b))
    return combine(ins, test, p), combine(ins, ~test, p)


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """Sum and its error, exact together (Knuth)."""
    total = a + b
    rest = total - a
    return total, (a - (total - rest)) + (b - rest)


def two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """Product and its error, exact together (Dekker), for magnitudes near one."""
    product = a * b
    ah = a * SPLIT - (a * SPLIT - a)
    bh = b * SPLIT - (b * SPLIT - b)
    al, bl = a - ah, b - bh
    return product, ((ah * bh - product) + ah * bl + al * bh) + al * bl


def fma(a: Array, b: Array, c: Array, mode: str = "RN") -> Array:
    """a * b + c with one rounding, for every finite and infinite input and rounding mode.

    Operands are scaled to mantissas near one; the three-term sum is rounded once (Boldo and Melquiond 2008), its
    leftover kept; scaling back rounds again only below the normal range, where the leftover decides.
    """
    a, b, c = np.broadcast_arrays(a, b, c)
    plain = ~(np.isfinite(a) & np.isfinite(b) & np.isfinite(c)) | (a == 0) | (b == 0)
    (ma, ea), (mb, eb), (mc, ec) = np.frexp(a), np.frexp(b), np.frexp(c)
    base = ea + eb
    distance = np.where(c == 0, 0, ec - base)
    scale = np.where(distance > FAR, ec - FAR, base)
    product, error = two_product(ma, mb)
    high, low = two_sum(np.ldexp(mc, np.clip(distance, -FAR, FAR)), error)
    top, rest = two_sum(product, high)
    value, leftover = two_sum(top, sum_to_odd(rest, low))
    result = np.ldexp(value, scale)
    gap = value - _unscale(result, scale)  # what scaling back rounded away, exact
    side = np.where(gap != 0, np.sign(gap), np.sign(leftover))  # is the exact value above or below the result?
    if mode == "RN":
        tie = (np.abs(gap) == np.ldexp(F64(0.5), -1074 - scale)) & (np.sign(gap) == np.sign(leftover)) & (gap != 0)
        result = np.where(tie, np.nextafter(result, np.copysign(np.inf, gap)), result)
    elif mode == "RZ":
        result = np.where(side * np.sign(value) < 0, np.nextafter(result, 0.0), result)
    else:
        wrong = side < 0 if mode == "RM" else side > 0
        result = np.where(wrong, np.nextafter(result, -np.inf if mode == "RM" else np.inf), result)
        if mode == "RM":
            result = np.where((value == 0) & (leftover == 0), -0.0, result)
    return np.where(plain, a * b + c, result)


def _unscale(result: Array, scale: Array) -> Array:
    """result / 2**scale in two exact steps; an overflowed result stays infinite."""
    half = scale // 2
    return np.ldexp(np.ldexp(result, -half), half - scale)
