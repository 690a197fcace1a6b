"""MUFU, the special functions: correctly rounded where the hardware is within one or two units in the last place.

The hardware interpolates from tables (PTX ISA, `ex2.approx` and its kin, gives the error bounds), so results differ
from silicon in the last bits; they depend on nothing but this file. Subnormal inputs count as zero and subnormal
results become zero: the compiler surrounds MUFU with scaling where the source language asks for subnormals.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.opcodes import SUPPORTED
from ssmsim.tracers.emulated.semantics.formats import (
    F64,
    NAN32,
    U32,
    Array,
    bf16_to_f32,
    f32,
    f32_to_bf16,
    f32_to_f16,
    flush,
    known,
)

TURN = 2 * np.pi  # SIN and COS take turns: the compiler divides by two pi before them


def _periodic(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda x: function(TURN * (x - np.rint(x)))


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "RCP": lambda x: 1 / x,
    "RSQ": lambda x: 1 / np.sqrt(x),
    "SQRT": np.sqrt,
    "EX2": np.exp2,
    "LG2": np.log2,
    "SIN": _periodic(np.sin),
    "COS": _periodic(np.cos),
    "TANH": np.tanh,
}


def mufu(ins: Any, a: Array) -> Array:
    known(ins, "RCP RSQ SQRT EX2 LG2 SIN COS TANH RCP64H RSQ64H F16 BF16")
    with np.errstate(all="ignore"):
        if ins.mods & {"RCP64H", "RSQ64H"}:
            return _high_word(a, "RCP" if "RCP64H" in ins.mods else "RSQ")
        name = next((m for m in ins.mods if m in FUNCTIONS), "")
        if not name:
            raise SsmsimError("MUFU without a function", getattr(ins, "where", ""), SUPPORTED)
        if ins.mods & {"F16", "BF16"}:
            single = FUNCTIONS[name](_half(ins, a)).astype(np.float32)
            return (f32_to_bf16(single) if "BF16" in ins.mods else f32_to_f16(single)).astype(U32)
        value = FUNCTIONS[name](f32(flush(a)).astype(F64)).astype(np.float32)
        return np.where(np.isnan(value), NAN32, flush(value.view(U32)))


def _half(ins: Any, a: Array) -> Array:
    """float64 of the half that the operand's selector names (the low one by default)."""
    shift = U32(16 if ins.selectors[0].startswith("H1") else 0)
    bits = ((a >> shift) & U32(0xFFFF)).astype(np.uint16)
    return (bf16_to_f32(bits) if "BF16" in ins.mods else bits.view(np.float16)).astype(F64)


def _high_word(a: Array, name: str) -> Array:
    """Seed of a float64 reciprocal or inverse root: high word in, high word out, the low words are zero.

    20 bits of the mantissa, cut off; Newton steps in the program make the rest.
    """
    bits = a.astype(np.uint64) << np.uint64(32)
    small = (a & U32(0x7FF00000)) == 0
    value = np.where(small, bits & np.uint64(1 << 63), bits).view(F64)
    high = (FUNCTIONS[name](value).view(np.uint64) >> np.uint64(32)).astype(U32)
    return np.where((high & U32(0x7FF00000)) == 0, high & U32(0x80000000), high)
