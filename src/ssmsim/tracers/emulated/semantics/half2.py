"""Pairs of 16-bit floats in a register (float16; bfloat16 with .BF16_V2): one rounding per result, to nearest even."""

from typing import Any

import numpy as np

from ssmsim.tracers.emulated.semantics.float32 import TESTS
from ssmsim.tracers.emulated.semantics.formats import (
    F32,
    F64,
    NAN16,
    U32,
    Array,
    bf16_to_f32,
    combine,
    compare,
    f32_to_bf16,
    f32_to_f16,
    finish,
    flush_exact,
    known,
    narrow_to_odd,
    sum_to_odd,
)

U16 = np.uint16
FORM = "MMA BF16_V2 BF16 F32 FTZ SAT RELU"  # MMA: the same operation on the other pipe


def is_bf16(ins: Any) -> bool:
    return bool(ins.mods & {"BF16_V2", "BF16", "BF16x2"})


def unpack(ins: Any, pair: Array) -> Array:
    """float32[2, ...] of the low and the high half; exact. .FTZ flushes subnormal halves."""
    bits = np.stack([pair & U32(0xFFFF), pair >> U32(16)]).astype(U16)
    if "FTZ" in ins.mods:
        bits = np.where(bits & U16(0x7F80 if is_bf16(ins) else 0x7C00), bits, bits & U16(0x8000))
    return bf16_to_f32(bits) if is_bf16(ins) else bits.view(np.float16).astype(F32)


def pack(ins: Any, value: Array) -> Array:
    """float64[2, ...], exact or rounded to odd, to one register, each half rounded once."""
    if "SAT" in ins.mods:
        value = np.where(value > 0, np.minimum(value, 1.0), 0.0)  # NaN and -0 too become +0
    if "RELU" in ins.mods:
        value = np.where(value <= 0, 0.0, value)
    single = narrow_to_odd(flush_exact(ins, value, 2.0**-126 if is_bf16(ins) else 2.0**-14))
    half = f32_to_bf16(single) if is_bf16(ins) else f32_to_f16(single)
    if "FTZ" in ins.mods:
        half = np.where(half & U16(0x7F80 if is_bf16(ins) else 0x7C00), half, half & U16(0x8000))
    return half[0].astype(U32) | (half[1].astype(U32) << U32(16))


def hadd2(ins: Any, a: Array, b: Array) -> Array:
    """.F32: the low halves are added in float32 (how halves are widened)."""
    known(ins, FORM)
    with np.errstate(all="ignore"):
        x, y = unpack(ins, a), unpack(ins, b)
        return finish(ins, x[0] + y[0]) if "F32" in ins.mods else add(ins, a, b)


def add(ins: Any, a: Array, b: Array) -> Array:
    """Sum of the halves."""
    return pack(ins, sum_to_odd(unpack(ins, a).astype(F64), unpack(ins, b).astype(F64)))


def hmul2(ins: Any, a: Array, b: Array) -> Array:
    known(ins, FORM)
    with np.errstate(all="ignore"):
        return pack(ins, unpack(ins, a).astype(F64) * unpack(ins, b))


def hfma2(ins: Any, a: Array, b: Array, c: Array) -> Array:
    known(ins, FORM)
    with np.errstate(all="ignore"):
        return pack(ins, sum_to_odd(unpack(ins, a).astype(F64) * unpack(ins, b), unpack(ins, c).astype(F64)))


def hmnmx2(ins: Any, a: Array, b: Array, smaller: Array) -> Array:
    """Minimum where `smaller`, else maximum, per half; a number wins over NaN (.NAN: loses); -0 < +0."""
    known(ins, FORM + " NAN XORSIGN")
    return minmax(ins, a, b, smaller)


def vhmnmx(ins: Any, a: Array, b: Array, c: Array, smaller: Array) -> Array:
    """Of three: HMNMX2 twice."""
    known(ins, "BF16_V2 NAN")
    return minmax(ins, minmax(ins, a, b, smaller), c, smaller)


def minmax(ins: Any, a: Array, b: Array, smaller: Array) -> Array:
    results = []
    with np.errstate(all="ignore"):
        for x, y in zip(unpack(ins, a), unpack(ins, b), strict=True):
            sign = np.signbit(x) ^ np.signbit(y)
            if "XORSIGN" in ins.mods:  # |a| and |b| are written, the signs are those from before
                x, y = np.abs(x), np.abs(y)
            less = np.where(x == y, np.signbit(x) & ~np.signbit(y), x < y)
            chosen = np.where(less == smaller, x, y)
            chosen = np.where(np.isnan(x), y, np.where(np.isnan(y), x, chosen))
            if "XORSIGN" in ins.mods:
                chosen = np.copysign(chosen, np.where(sign, F32(-1), F32(1)))
            nan = np.isnan(x) | np.isnan(y) if "NAN" in ins.mods else np.isnan(chosen)
            half = f32_to_bf16(chosen) if is_bf16(ins) else f32_to_f16(chosen)
            results.append(np.where(nan, NAN16, half).astype(U32))
    return results[0] | (results[1] << U32(16))


def hsetp2(ins: Any, a: Array, b: Array, p: Array) -> tuple[Array, Array]:
    """Test of the low halves, test of the high halves; .H0_AND and .H1_AND forms do not occur on sm_90."""
    known(ins, TESTS + " BF16_V2 BF16")
    low, high = compare(ins, unpack(ins, a), unpack(ins, b))
    return combine(ins, low, p), combine(ins, high, p)


def hset2(ins: Any, a: Array, b: Array, p: Array | None) -> Array:
    """Per half 1.0 or 0.0 (.BF), else all ones or zero."""
    known(ins, TESTS + " BF BM BF16_V2 BF16")
    test = compare(ins, unpack(ins, a), unpack(ins, b))
    one = U32((0x3F80 if is_bf16(ins) else 0x3C00) if "BF" in ins.mods else 0xFFFF)
    low, high = (np.where(combine(ins, half, p), one, U32(0)) for half in test)
    return low | (high << U32(16))
