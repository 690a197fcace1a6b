"""Conversions between number formats (PTX ISA, `cvt`): rounding modes, saturation, the results of NaN."""

from typing import Any

import numpy as np

from ssmsim.tracers.emulated.semantics.formats import (
    BYTE_VALUES,
    F64,
    NAN32,
    U32,
    Array,
    bf16_to_f32,
    f32,
    f32_to_bf16,
    f32_to_f16,
    f64,
    finish,
    flush,
    known,
    narrow,
    narrow_to_odd,
    rounding,
    words,
)

FLOATS = ("F16", "BF16", "F32", "F64")
WHOLE = {
    "RN": np.rint,
    "FLOOR": np.floor,
    "CEIL": np.ceil,
    "TRUNC": np.trunc,
    "RM": np.floor,
    "RP": np.ceil,
    "RZ": np.trunc,
}
BITS = {"2": 2, "4": 4, "8": 8, "16": 16, "32": 32, "64": 64}


def _half(ins: Any, a: Array) -> Array:
    """The 16-bit half that the operand's selector names (the low one by default)."""
    high = ins.selectors[0].startswith("H1")
    return ((a >> U32(16)) if high else (a & U32(0xFFFF))).astype(np.uint16)


def _float_in(ins: Any, kind: str, a: Array) -> Array:
    """float64 of a source of that kind."""
    if kind == "F64":
        return f64(a)
    if kind == "F16":
        return _half(ins, a).view(np.float16).astype(F64)
    if kind == "BF16":
        return bf16_to_f32(_half(ins, a)).astype(F64)
    return f32(flush(a) if "FTZ" in ins.mods else a).astype(F64)


def _float_out(ins: Any, kind: str, value: Array, mode: str) -> Array:
    """float64 value to bits of that kind."""
    if kind == "F64":
        quiet = np.where(np.isnan(value), np.uint64(1 << 51), np.uint64(0))  # a NaN keeps sign and payload (H200)
        return words(np.asarray(value, F64).view(np.uint64) | quiet)
    if kind == "F32":
        return finish(ins, narrow(value, mode))
    if "SAT" in ins.mods:
        value = np.where(value > 0, np.minimum(value, 1.0), 0.0)  # NaN and -0 too become +0
    if "RELU" in ins.mods:
        value = np.where(value <= 0, 0.0, value)
    single = narrow_to_odd(value)
    return (f32_to_bf16(single, mode) if kind == "BF16" else f32_to_f16(single, mode)).astype(U32)


def f2f(ins: Any, a: Array) -> Array:
    """F2F.to.from; without both names float32 to float32 (a flush or an integral rounding)."""
    known(ins, "F16 BF16 F32 F64 FTZ SAT RELU RM RP RZ RN FLOOR CEIL TRUNC")
    kinds = [m for m in ins.mods.order if m in FLOATS]
    target, source = (kinds[0], kinds[-1]) if kinds else ("F32", "F32")
    with np.errstate(all="ignore"):
        return _float_out(ins, target, _float_in(ins, source, a), rounding(ins.mods))


def f2fp(ins: Any, a: Array, b: Any = None, c: Any = None) -> Array:
    """Float32 to 16-bit halves or 8-bit bytes of one register, and back.

    .PACK_AB: a above, b below. .MERGE_C: a below the upper half of b. .PACK_B: one float32, to TF32. 8-bit formats:
    .PACK_AB_MERGE_C: a and b to the low half, c's low half above; .UNPACK_B_MERGE_C: the halves of a, under b's;
    .UNPACK_B: two bytes (of the upper half, .H1) to float16.
    """
    known(ins, "F16 BF16 F32 TF32 E4M3 E5M2 PACK_AB PACK_B UNPACK_B PACK_AB_MERGE_C UNPACK_B_MERGE_C MERGE_C "
               "RELU RZ SATFINITE")  # fmt: skip
    with np.errstate(all="ignore"):
        byte = next((m for m in ins.mods.order if m in BYTES), "")
        if "UNPACK_B" in ins.mods:
            return _unpack_bytes(ins, byte, a)
        if byte and "F16" in ins.mods:
            pair = [((a >> U32(k)) & U32(0xFFFF)).astype(np.uint16).view(np.float16).astype(F64) for k in (16, 0)]
            return _bytes_of(ins, byte, *pair) | b << U32(16)
        if byte:
            low = _bytes_of(ins, byte, _float_in(ins, "F32", a), _float_in(ins, "F32", b))
            return low | c << U32(16) if c is not None else low
        if "TF32" in ins.mods:
            return _to_tf32(ins, a)
        kind = next(m for m in ins.mods.order if m in FLOATS)
        if "MERGE_C" in ins.mods:
            return _float_out(ins, kind, _float_in(ins, "F32", a), rounding(ins.mods)) | b & U32(0xFFFF0000)
        high, low = (_float_out(ins, kind, _float_in(ins, "F32", s), rounding(ins.mods)) for s in (a, b))
    if "SATFINITE" in ins.mods:
        top = U32(0x7F7F if kind == "BF16" else 0x7BFF)
        high, low = (np.where((h & U32(0x7FFF)) == top + U32(1), h - U32(1), h) for h in (high, low))
    return low | (high << U32(16))


BYTES = {"E4M3": (7, 3, 448.0, 0x7E), "E5M2": (15, 2, 57344.0, 0x7B)}  # bias, mantissa bits, largest value, its bits


def _byte(ins: Any, kind: str, value: Array) -> Array:
    """float64 to an 8-bit format, to nearest even; what is too large becomes the largest (.SATFINITE), NaN 0x7f."""
    bias, bits, largest, top = BYTES[kind]
    if "RELU" in ins.mods:
        value = np.where(value <= 0, 0.0, value)
    size = np.minimum(np.abs(value), largest)
    exponent = np.maximum(np.frexp(size)[1] - 1, 1 - bias)
    steps = np.rint(np.ldexp(np.where(np.isnan(size), 0.0, size), bits - exponent)).astype(np.int64)
    pattern = np.where(steps < 1 << bits, steps, steps + (exponent + bias - 1 << bits))
    pattern = np.minimum(pattern, top) | np.where(np.signbit(value), 0x80, 0)
    return np.where(np.isnan(value), 0x7F, pattern).astype(U32)


def _bytes_of(ins: Any, kind: str, high: Array, low: Array) -> Array:
    return _byte(ins, kind, high) << U32(8) | _byte(ins, kind, low)


def _unpack_bytes(ins: Any, kind: str, a: Array) -> Array:
    """Two bytes to two float16, exact; NaN is the canonical one."""
    shift = 16 if ins.selectors[0].startswith("H1") else 0
    halves = []
    for place in (shift, shift + 8):
        value = BYTE_VALUES[kind][a >> U32(place) & U32(0xFF)]
        if "RELU" in ins.mods:
            value = np.where(value <= 0, 0.0, value)
        bits16 = value.astype(np.float16).view(np.uint16)
        halves.append(np.where(np.isnan(value), np.uint16(0x7FFF), bits16).astype(U32))
    return halves[0] | halves[1] << U32(16)


def _to_tf32(ins: Any, a: Array) -> Array:
    """Float32 to TF32 (10 bits of mantissa), to nearest even or towards zero (.RZ)."""
    kept = a & U32(0xFFFFE000)
    if "RZ" not in ins.mods:
        kept = (a + U32(0xFFF) + (a >> U32(13) & U32(1))) & U32(0xFFFFE000)
    if "RELU" in ins.mods:
        kept = np.where(a >> U32(31) != 0, U32(0), kept)
    return np.where(np.isnan(f32(a)), NAN32, kept)


def f2ip(ins: Any, a: Array, b: Array, c: Array) -> Array:
    """F2IP.to.from: floats a above b to bytes, rounded and clamped, below the low half of c; NaN becomes 0."""
    known(ins, "U8 S8 F32 NTZ FTZ FLOOR CEIL TRUNC")
    signed, bits = _integer_type(ins.mods, "U8")
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    way = next((m for m in ins.mods.order if m in WHOLE), "RN")

    def byte(source: Array) -> Array:
        value = _float_in(ins, "F32", source)
        whole = np.clip(WHOLE[way](np.where(np.isnan(value), 0.0, value)), low, high)
        return whole.astype(np.int64).astype(U32) & U32(0xFF)

    with np.errstate(all="ignore"):
        return c << U32(16) | byte(a) << U32(8) | byte(b)


def i2i(ins: Any, a: Array) -> Array:
    """I2I.to.from.SAT: a 32-bit integer clamped to the range of a narrower type."""
    known(ins, "S8 U8 S16 U16 S32 U32 SAT")
    return _clamped(ins, a)


def i2ip(ins: Any, a: Array, b: Array, c: Array) -> Array:
    """I2IP.to.from.SAT: a above b, each clamped; narrower ones than halves go below c (PTX ISA, `cvt.pack`)."""
    known(ins, "S2 U2 S4 U4 S8 U8 S16 U16 S32 U32 SAT")
    bits = BITS[ins.mods.order[0][1:]]
    mask = U32((1 << bits) - 1)
    pair = (_clamped(ins, a) & mask) << U32(bits) | _clamped(ins, b) & mask
    return pair | c << U32(2 * bits) if bits < 16 else pair


def _clamped(ins: Any, a: Array) -> Array:
    target, source = ins.mods.order[0], ins.mods.order[1]
    value = (a.view(np.int32) if source == "S32" else a).astype(np.int64)
    bits = BITS[target[1:]]
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if target[0] == "S" else (0, (1 << bits) - 1)
    return (np.clip(value, low, high) & 0xFFFFFFFF).astype(U32)


def _integer_type(mods: Any, default: str) -> tuple[bool, int]:
    """(signed, bits) of the integer type among the modifiers."""
    name = next((m for m in mods.order if m[0] in "SU" and m[1:] in BITS), default)
    return name[0] == "S", BITS[name[1:]]


def f2i(ins: Any, a: Array) -> Array:
    """To the nearest representable integer. NaN: 0 from float32 to 32 bits, else the lowest (PTX ISA, `cvt`)."""
    known(ins, "FTZ NTZ F16 BF16 F32 F64 FLOOR CEIL TRUNC S8 U8 S16 U16 S32 U32 S64 U64")
    signed, bits = _integer_type(ins.mods, "S32")
    source = next((m for m in FLOATS if m in ins.mods), "F32")
    way = next((m for m in ins.mods.order if m in WHOLE), "RN")
    with np.errstate(all="ignore"):
        value = _float_in(ins, source, a)
        whole = WHOLE[way](value)
        lowest, highest = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
        dtype = np.int64 if signed else np.uint64
        above = F64(highest // 2 + 1) * 2  # one more than the highest, exact
        result = np.where((whole >= lowest) & (whole < above), whole, 0).astype(dtype)
        result = np.where(whole < lowest, dtype(lowest), np.where(whole >= above, dtype(highest), result))
        unknown = 0 if source != "F64" and bits < 64 else 1 << (bits - 1)
    out = np.where(np.isnan(value), np.uint64(unknown), result.view(np.uint64))
    return words(out) if bits == 64 else out.astype(U32)


def _integer_in(ins: Any, a: Array) -> tuple[Array, Array]:
    """(negative?, magnitude uint64) of an integer source; narrow ones by their byte or half selector."""
    signed, bits = _integer_type(ins.mods, "S32")
    if bits == 64:
        value = f64(a).view(np.int64)
    else:
        place = ins.selectors[0]
        shift = U32(8 * int(place[1]) if place[:1] == "B" else 16 if place[:2] == "H1" else 0)
        part = (a >> shift).astype(np.int64) & ((1 << bits) - 1)
        value = part - ((part >> (bits - 1)) << bits) if signed else part
    negative = (value < 0) if signed else np.zeros(value.shape, bool)
    bits64 = value.view(np.uint64)
    return negative, np.where(negative, ~bits64 + np.uint64(1), bits64)


def i2f(ins: Any, a: Array) -> Array:
    """An integer to float16, bfloat16, float32 or float64, rounded once in the mode asked for."""
    known(ins, "F16 BF16 F32 F64 RN RM RP RZ S8 U8 S16 U16 S32 U32 S64 U64")
    kind = next((m for m in ins.mods.order if m in FLOATS), "F32")
    mode = rounding(ins.mods)
    with np.errstate(all="ignore"):
        negative, magnitude = _integer_in(ins, a)
        if kind == "F64":
            return words(_integer_to_f64(negative, magnitude, mode))
        sticky = (magnitude & np.uint64(0x7FF)) != 0  # float64 holds 53 bits: fold the low 11 of 64 into one
        odd = np.where(sticky, (magnitude & ~np.uint64(0x7FF)) | np.uint64(0x800), magnitude)
        exact = np.where(magnitude >> np.uint64(53) != 0, odd, magnitude).astype(F64)
        return _float_out(ins, kind, np.where(negative, -exact, exact), mode)


def _integer_to_f64(negative: Array, magnitude: Array, mode: str) -> Array:
    near = magnitude.astype(F64)
    back = np.where(near >= F64(2**64), np.uint64(2**64 - 1), near.astype(np.uint64))
    above = (back > magnitude) | (near >= F64(2**64))
    below = ~above & (back < magnitude)
    never = np.zeros_like(negative)
    down = {"RN": never, "RZ": ~never, "RM": ~negative, "RP": negative}[mode]  # towards zero
    up = {"RN": never, "RZ": never, "RM": negative, "RP": ~negative}[mode]  # away from zero
    near = np.where(above & down, np.nextafter(near, 0.0), np.where(below & up, np.nextafter(near, np.inf), near))
    return np.where(negative, -near, near)


def i2fp(ins: Any, a: Array) -> Array:
    """A 32-bit integer to float32, on the ALU."""
    known(ins, "F32 S32 U32 RM RP RZ")
    return i2f(ins, a)


def frnd(ins: Any, a: Array) -> Array:
    """To an integral value of the same format."""
    known(ins, "F16 BF16 F32 F64 FTZ FLOOR CEIL TRUNC")
    kind = next((m for m in ins.mods.order if m in FLOATS), "F32")
    way = next((m for m in ins.mods.order if m in WHOLE), "RN")
    with np.errstate(all="ignore"):
        value = _float_in(ins, kind, a)
        bits = _float_out(ins, kind, WHOLE[way](value), "RN")
    return bits if kind != "F32" else np.where(np.isnan(value), NAN32, bits)
