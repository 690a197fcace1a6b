"""Reductions of bulk and tensor copies: an operation and a type, element by element."""

from __future__ import annotations

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.opcodes import SUPPORTED
from ssmsim.tracers.emulated.semantics.formats import flush

OPERATIONS = ("ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR")
INTEGERS = {"u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "s32": np.int32, "u64": np.uint64, "s64": np.int64}
FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


def _widened(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def _rounded(value: np.ndarray) -> np.ndarray:
    """bfloat16 bits of float32, to the nearest, ties to even; NaN as the hardware's 0x7fff."""
    bits = value.view(np.uint32)
    near = (bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))) >> np.uint32(16)
    return np.where(np.isnan(value), np.uint32(0x7FFF), near).astype(np.uint16)


def _number(name: str, old: np.ndarray, new: np.ndarray) -> np.ndarray:
    if name == "ADD":
        return np.asarray(old + new)
    if old.dtype.kind == "f":
        return np.asarray(np.fmin(old, new) if name == "MIN" else np.fmax(old, new))
    return np.asarray(np.minimum(old, new) if name == "MIN" else np.maximum(old, new))


def reduced(ins: Instruction, kind: str, old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """What memory holds after the reduction: bits of the unsigned type of old and new. kind: a type of tensor_map.TYPES.

    Raises SsmsimError for an operation that the type does not have.
    """
    name = next((m for m in ins.mods.order if m in OPERATIONS), "")
    bits = old.dtype
    if name in ("AND", "OR", "XOR"):
        return np.asarray({"AND": np.bitwise_and, "OR": np.bitwise_or, "XOR": np.bitwise_xor}[name](old, new))
    if kind == "u32" and name == "INC":
        return np.where(old >= new, 0, old + bits.type(1)).astype(bits)
    if kind == "u32" and name == "DEC":
        return np.where((old == 0) | (old > new), new, old - bits.type(1)).astype(bits)
    if name not in ("ADD", "MIN", "MAX") or kind not in INTEGERS | FLOATS | {"bf16": None}:
        raise SsmsimError(f"this reduction of {kind} is not supported", ins.where, SUPPORTED)
    with np.errstate(all="ignore"):
        if kind == "bf16":
            return _rounded(_number(name, _widened(old), _widened(new)))
        if kind == "f32" and name == "ADD":  # flushes subnormals (PTX ISA, cp.reduce.async.bulk)
            return flush(_number(name, flush(old).view(np.float32), flush(new).view(np.float32)).view(np.uint32))
        dtype = np.dtype(INTEGERS[kind] if kind in INTEGERS else FLOATS[kind])
        return _number(name, old.view(dtype), new.view(dtype)).view(bits)
