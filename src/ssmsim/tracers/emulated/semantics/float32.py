"""float32 arithmetic, comparison and selection: exact IEEE 754 results, subnormals and rounding modes included."""

from typing import Any

import numpy as np

from ssmsim.tracers.emulated.semantics.formats import (
    F64,
    NAN32,
    U32,
    Array,
    add_exactly,
    combine,
    compare,
    f32,
    finish,
    flush,
    flush_exact,
    inputs,
    known,
    narrow,
    rounding,
)

SIGN = U32(0x80000000)
TESTS = "F LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T AND OR XOR FTZ"
SCALES = {"D2": 0.5, "D4": 0.25, "D8": 0.125, "M2": 2.0, "M4": 4.0, "M8": 8.0}


def fadd(ins: Any, a: Array, b: Array) -> Array:
    known(ins, "FTZ SAT RM RP RZ")
    mode = rounding(ins.mods)
    with np.errstate(all="ignore"):
        x, y = inputs(ins, a, b)
        if mode == "RN":
            return finish(ins, x + y)
        return finish(ins, narrow(add_exactly(x.astype(F64), y.astype(F64), mode), mode))


def fmul(ins: Any, a: Array, b: Array) -> Array:
    known(ins, "FTZ SAT RM RP RZ D2 D4 D8 M2 M4 M8")
    with np.errstate(all="ignore"):
        x, y = inputs(ins, a, b)
        product = x.astype(F64) * y  # 48 bits: exact
        for name in ins.mods & SCALES.keys():
            product = product * SCALES[name]
        return finish(ins, narrow(flush_exact(ins, product), rounding(ins.mods)))


def fma(ins: Any, x: Array, y: Array, z: Array) -> Array:
    """float32 x * y + z with one rounding."""
    mode = rounding(ins.mods)
    return narrow(flush_exact(ins, add_exactly(x.astype(F64) * y, z.astype(F64), mode)), mode)


def ffma(ins: Any, a: Array, b: Array, c: Array) -> Array:
    known(ins, "FTZ SAT RM RP RZ")
    with np.errstate(all="ignore"):
        x, y, z = inputs(ins, a, b, c)
        return finish(ins, fma(ins, x, y, z))


def fmnmx(ins: Any, a: Array, b: Array, smaller: Array) -> Array:
    """Minimum where `smaller`, else maximum; of a number and a NaN the number (.NAN: the NaN); -0 < +0."""
    known(ins, "FTZ NAN XORSIGN")
    with np.errstate(all="ignore"):
        x, y = (s.view(U32) for s in inputs(ins, a, b))
        if "XORSIGN" in ins.mods:  # |a| and |b| are written, the signs are those from before
            x, y, signs = x & ~SIGN, y & ~SIGN, (x ^ y) & SIGN
        less = np.where(f32(x) == f32(y), x > y, f32(x) < f32(y))  # of two zeros the one with the sign bit is less
        result = np.where(less == smaller, x, y)
        result = np.where(np.isnan(f32(x)), y, np.where(np.isnan(f32(y)), x, result))
        if "XORSIGN" in ins.mods:
            result = result & ~SIGN | signs
        nan = np.isnan(f32(x)) | np.isnan(f32(y)) if "NAN" in ins.mods else np.isnan(f32(result))
        return np.where(nan, NAN32, result)


def fsel(ins: Any, a: Array, b: Array, p: Array) -> Array:
    known(ins, "FTZ")
    result = np.where(p, a, b)
    return flush(result) if "FTZ" in ins.mods else result


def fsetp(ins: Any, a: Array, b: Array, p: Array) -> tuple[Array, Array]:
    """The test and its negation, each combined with p."""
    known(ins, TESTS)
    with np.errstate(all="ignore"):
        test = compare(ins, *inputs(ins, a, b))
    return combine(ins, test, p), combine(ins, ~test, p)


def fset(ins: Any, a: Array, b: Array, p: Array | None) -> Array:
    """.BF: 1.0 or 0.0; else all ones or zero."""
    known(ins, TESTS + " BF")
    with np.errstate(all="ignore"):
        test = combine(ins, compare(ins, *inputs(ins, a, b)), p)
    return np.where(test, U32(0x3F800000 if "BF" in ins.mods else 0xFFFFFFFF), U32(0))


def fchk(ins: Any, a: Array, b: Array) -> Array:
    """Does a / b need the slow path: an exponent at the edge of the range, in either operand or in the quotient?

    The fast path multiplies by a reciprocal and corrects the quotient with FFMAs; it goes wrong where a reciprocal, a
    remainder or the quotient is subnormal or overflows. Both paths give the same, correctly rounded quotient.
    """
    known(ins, "DIVIDE")
    top = ((a >> U32(23)) & U32(0xFF)).astype(np.int32)
    bottom = ((b >> U32(23)) & U32(0xFF)).astype(np.int32)
    quotient = top - bottom
    return (bottom < 2) | (bottom > 252) | (top < 25) | (top == 255) | (quotient < -125) | (quotient > 125)
