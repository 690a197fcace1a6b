"""What an atomic leaves in memory: integer, bitwise, float and packed half operations (PTX ISA, `atom`, `red`)."""

from typing import Any

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.opcodes import SUPPORTED
from ssmsim.tracers.emulated.semantics import half2
from ssmsim.tracers.emulated.semantics.formats import NAN32, U32, Array, f32, f64, flush, known, words

NAMES = (
    "E STRONG WEAK GPU SM SYS CTA RN FTZ CAST SPIN EF EL ADD MIN MAX INC DEC AND OR XOR EXCH CAS "
    "32 64 128 S32 U32 S64 U64 F32 F64 F16x2 BF16x2 BF16_V2 F32x2 F32x4 F16x4 F16x8 BF16x4 BF16x8 POPC"
)
HALVES = frozenset(["F16x2", "BF16x2", "BF16_V2", "F16x4", "F16x8", "BF16x4", "BF16x8"])
SINGLES = frozenset(["F32", "F32x2", "F32x4"])
VECTORS = frozenset(["F32x2", "F32x4", "F16x4", "F16x8", "BF16x4", "BF16x8", "128"])


def atom(ins: Any, old: Array, value: Array, compare: Array | None = None) -> Array:
    """New value in memory of old and value; [W], or [n, W] for n registers. `compare` is for CAS alone."""
    known(ins, NAMES)
    with np.errstate(all="ignore"):
        if ins.mods & VECTORS:  # one register after another
            if "CAS" in ins.mods and compare is not None:
                return np.where((old == compare).all(axis=0), value, old)
            return np.stack([_one(ins, a, b) for a, b in zip(old, value, strict=True)])
        if ins.mods & (HALVES | SINGLES | {"F64"}):
            return _float(ins, old, value)
        if old.ndim == 2:
            result = _integer(
                ins,
                f64(old).view(np.uint64),
                f64(value).view(np.uint64),
                None if compare is None else f64(compare).view(np.uint64),
            )
            return words(result)
        return _integer(ins, old, value, compare)


def _one(ins: Any, old: Array, value: Array) -> Array:
    return value if "EXCH" in ins.mods else _float(ins, old, value)


def _integer(ins: Any, old: Array, value: Array, compare: Array | None) -> Array:
    kind = np.dtype(old.dtype)
    signed = bool(ins.mods & {"S32", "S64"})
    left, right = (v.view(f"i{kind.itemsize}") if signed else v for v in (old, value))
    one = kind.type(1)
    if "CAS" in ins.mods:
        if compare is None:
            raise SsmsimError("CAS without a value to compare with", getattr(ins, "opcode", ""))
        return np.where(old == compare, value, old)
    operations = {
        "ADD": lambda: old + value,
        "MIN": lambda: np.minimum(left, right).view(kind),
        "MAX": lambda: np.maximum(left, right).view(kind),
        "INC": lambda: np.where(old >= value, kind.type(0), old + one),
        "DEC": lambda: np.where((old == 0) | (old > value), value, old - one),
        "AND": lambda: old & value,
        "OR": lambda: old | value,
        "XOR": lambda: old ^ value,
        "EXCH": lambda: value,
    }
    name = next((m for m in ins.mods.order if m in operations), "")
    if not name:
        raise SsmsimError("this atomic is not supported", getattr(ins, "where", ""), SUPPORTED)
    return operations[name]()


def _float(ins: Any, old: Array, value: Array) -> Array:
    """Addition in the named format; float32 flushes subnormals where the modifiers say FTZ, as global memory does."""
    if ins.mods & {"MIN", "MAX"} and ins.mods & HALVES:
        smaller = np.broadcast_to(np.array("MIN" in ins.mods), old.shape)
        return half2.minmax(ins, old, value, smaller)
    if "ADD" not in ins.mods:
        raise SsmsimError("this atomic is not supported", getattr(ins, "where", ""), SUPPORTED)
    if "F64" in ins.mods:
        return words(f64(old) + f64(value))
    if ins.mods & SINGLES:
        a, b = (flush(v) if "FTZ" in ins.mods else v for v in (old, value))
        total = f32(a) + f32(b)
        bits = np.where(np.isnan(total), NAN32, total.view(U32))
        return flush(bits) if "FTZ" in ins.mods else bits
    return half2.add(ins, old, value)
