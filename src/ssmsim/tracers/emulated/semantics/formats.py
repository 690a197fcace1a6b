"""Number formats as arrays of bit patterns, and the roundings between them.

Sums that need more bits than float64 has are rounded to odd first (Boldo and Melquiond, "Emulation of FMA and correctly
rounded sums: proved algorithms using rounding to odd", IEEE Trans. Computers 57, 2008): a second rounding to 24,
11 or 8 bits then gives the same result as one rounding of the exact sum.
NaN results are the canonical ones of the PTX ISA (section on floating-point instructions): 0x7fffffff, 0x7fff.
"""

from typing import Any

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.opcodes import SUPPORTED

Array = np.ndarray
U32 = np.uint32
F32, F64 = np.float32, np.float64
NAN32, NAN16 = U32(0x7FFFFFFF), np.uint16(0x7FFF)


def known(ins: Any, names: str) -> None:
    """SsmsimError when the instruction has a modifier outside `names`: never computed as if it were not there."""
    extra = ins.mods - ALLOWED.setdefault(names, frozenset(names.split()))
    if extra:
        raise SsmsimError(f"modifier .{sorted(extra)[0]} has no semantics", getattr(ins, "where", ""), SUPPORTED)


ALLOWED: dict[str, frozenset[str]] = {}


def rounding(mods: Any) -> str:
    """RN, RZ, RM (down) or RP (up)."""
    return "RZ" if "RZ" in mods else "RM" if "RM" in mods else "RP" if "RP" in mods else "RN"


def f32(bits: Array) -> Array:
    return bits.view(F32)


def flush(bits: Array) -> Array:
    """Subnormal float32 patterns to zero of the same sign (.FTZ)."""
    return np.where(bits & U32(0x7F800000), bits, bits & U32(0x80000000))


def inputs(ins: Any, *sources: Array) -> list[Array]:
    """float32 views of the sources, flushed when the instruction says so."""
    return [f32(flush(s)) if "FTZ" in ins.mods else f32(s) for s in sources]


def finish(ins: Any, value: Array) -> Array:
    """float32 result to its bits: canonical NaN, then .SAT (NaN becomes 0), then .FTZ."""
    bits = value.view(U32)
    nan = np.isnan(value)
    if nan.any():
        bits = np.where(nan, NAN32, bits)
    if "SAT" in ins.mods:
        bits = np.where(nan, U32(0), np.clip(value, F32(0), F32(1)).view(U32))
        bits = np.where(bits == U32(0x80000000), U32(0), bits)
    return flush(bits) if "FTZ" in ins.mods else bits


def flush_exact(ins: Any, value: Array, smallest: float = 2.0**-126) -> Array:
    """.FTZ on an exact float64 result: below the smallest normal before rounding is zero (as an H200 does)."""
    return np.where(np.abs(value) < smallest, np.copysign(0.0, value), value) if "FTZ" in ins.mods else value


def sum_to_odd(a: Array, b: Array) -> Array:
    """float64 a + b, the exact sum rounded to odd."""
    total = a + b
    rest = total - a
    error = (a - (total - rest)) + (b - rest)
    bits = total.view(np.int64)
    inexact = (error != 0) & (bits & 1 == 0) & np.isfinite(total)
    return (bits + np.where(inexact, np.where((error > 0) == (total > 0), 1, -1), 0)).view(F64)


def narrow(value: Array, mode: str = "RN") -> Array:
    """float64 to float32 in any rounding mode; exact for values that need no more than float64's bits."""
    near = value.astype(F32)
    if mode == "RN":
        return near
    back = near.astype(F64)
    if mode == "RZ":
        return np.where(np.abs(back) > np.abs(value), np.nextafter(near, F32(0)), near)
    if mode == "RM":
        return np.where(back > value, np.nextafter(near, F32(-np.inf)), near)
    return np.where(back < value, np.nextafter(near, F32(np.inf)), near)


def add_exactly(a: Array, b: Array, mode: str = "RN") -> Array:
    """float64 a + b rounded to odd; a zero sum of opposite terms is -0 when rounding down (IEEE 754, section 6.3)."""
    total = sum_to_odd(a, b)
    if mode != "RM":
        return total
    return np.where((total == 0) & (np.signbit(a) | np.signbit(b)), -np.abs(total), total)


def narrow_to_odd(value: Array) -> Array:
    """float64 to float32 rounded to odd: keeps what a further rounding to 16 bits needs."""
    near = narrow(value, "RZ")
    bits = near.view(U32)
    return np.where(near.astype(F64) != value, bits | U32(1), bits).view(F32)


def bf16_to_f32(half: Array) -> Array:
    return (half.astype(U32) << U32(16)).view(F32)


def f32_to_bf16(value: Array, mode: str = "RN") -> Array:
    """uint16 patterns of float32 values, in any rounding mode; NaN becomes 0x7fff."""
    bits = np.asarray(value, F32).view(U32)
    if mode == "RN":
        step: Any = U32(0x7FFF) + ((bits >> U32(16)) & U32(1))
    else:  # away from zero where the mode asks for it
        away = {"RZ": np.zeros(bits.shape, bool), "RM": np.signbit(value), "RP": ~np.signbit(value)}[mode]
        step = np.where(away, U32(0xFFFF), U32(0))
    return np.where(np.isnan(value), NAN16, ((bits + step) >> U32(16)).astype(np.uint16))


def f32_to_f16(value: Array, mode: str = "RN") -> Array:
    """uint16 patterns of float32 values, in any rounding mode; NaN becomes 0x7fff."""
    half = np.asarray(value, F32).astype(np.float16)
    back = half.astype(F32)
    if mode == "RZ":
        half = np.where(np.abs(back) > np.abs(value), np.nextafter(half, np.float16(0)), half)
    elif mode == "RM":
        half = np.where(back > value, np.nextafter(half, np.float16(-np.inf)), half)
    elif mode == "RP":
        half = np.where(back < value, np.nextafter(half, np.float16(np.inf)), half)
    return np.where(np.isnan(value), NAN16, half.view(np.uint16))


def f64(rows: Array) -> Array:
    """float64 of two rows of words, low first: uint32[2, ...] to float64[...]."""
    return (rows[0].astype(np.uint64) | (rows[1].astype(np.uint64) << np.uint64(32))).view(F64)


def words(value: Array) -> Array:
    """uint32[2, ...] of 64-bit values: low word, high word."""
    bits = value.view(np.uint64)
    return np.stack([bits.astype(U32), (bits >> np.uint64(32)).astype(U32)])


def _byte_values(exponent_bits: int) -> Array:
    """float64[256]: OCP 8-bit floating point, E5M2 with infinities, E4M3 with NaN at 0x7f and 0xff alone."""
    bits = 7 - exponent_bits
    byte = np.arange(256)
    exponent, fraction = byte >> bits & ((1 << exponent_bits) - 1), byte & ((1 << bits) - 1)
    bias = (1 << exponent_bits - 1) - 1
    value = np.ldexp(np.where(exponent > 0, fraction + (1 << bits), fraction).astype(F64),
                     np.maximum(exponent, 1) - bias - bits)  # fmt: skip
    if exponent_bits == 5:
        value = np.where(exponent == 31, np.where(fraction == 0, np.inf, np.nan), value)
    else:
        value = np.where(byte & 0x7F == 0x7F, np.nan, value)
    return np.where(byte & 0x80, -value, value)


BYTE_VALUES = {"E4M3": _byte_values(4), "E5M2": _byte_values(5)}
COMPARISONS = ("F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T")


def compare(ins: Any, a: Array, b: Array) -> Array:
    """The comparison named in the modifiers; those with U also hold when an operand is NaN."""
    name = next(m for m in ins.mods.order if m in COMPARISONS)
    unordered = np.isnan(a) | np.isnan(b)
    if name in ("F", "T", "NUM", "NAN"):
        return {"F": unordered & ~unordered, "T": unordered | ~unordered, "NUM": ~unordered, "NAN": unordered}[name]
    test = {"LT": np.less, "EQ": np.equal, "LE": np.less_equal, "GT": np.greater, "NE": np.not_equal,
            "GE": np.greater_equal}[name[:2]](a, b)  # fmt: skip
    return test | unordered if name.endswith("U") else test & ~unordered


def combine(ins: Any, test: Array, p: Array | None) -> Array:
    """test AND, OR or XOR the source predicate."""
    if p is None:
        return test
    return test & p if "AND" in ins.mods else test | p if "OR" in ins.mods else test ^ p
