"""Operands of the disassembly to functions that read or write them for a group of warps."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.decode import Instruction
from ssmsim.sass.opcodes import SUPPORTED
from ssmsim.sass.operands import PT, Operand
from ssmsim.tracers.emulated.state import State, pack, unpack

U32, U64 = np.uint32, np.uint64
SIGN = U32(0x80000000)


class Group:
    """Warps that run one stretch of code together.

    index: their numbers, or slice(None) when it is all of them; numbers: always the array.
    mask:  uint32[W], lanes of the running path. full: every lane of every warp runs.
    """

    __slots__ = ("_lanes", "full", "index", "mask", "numbers")

    def __init__(self, numbers: np.ndarray, mask: np.ndarray, everyone: bool) -> None:
        self.numbers = numbers
        self.index: Any = slice(None) if everyone else numbers
        self.mask = mask
        self.full = bool((mask == 0xFFFFFFFF).all())
        self._lanes: np.ndarray | None = None

    @property
    def lanes(self) -> np.ndarray:
        """bool[W, 32] of `mask`."""
        if self._lanes is None:
            self._lanes = unpack(self.mask)
        return self._lanes


Read = Callable[[State, Group], Any]
Write = Callable[[State, Group, Any, np.ndarray | None], None]


def _constant(operand: Operand, ins: Instruction) -> np.ndarray | None:
    """Value of an immediate or zero register: uint32 [1, 1], or [count, 1, 1]."""
    if operand.is_zero:
        words = [0] * operand.count
    elif operand.kind != "imm":
        return None
    elif operand.type == "f64":
        words = [0, ins.immediate]
    elif operand.type in ("f32", "f16x2") or not operand.text.lstrip("+-").startswith("0x"):
        words = [ins.immediate]
    else:
        value = operand.value & ((1 << 32 * operand.count) - 1)
        words = [value >> 32 * k & 0xFFFFFFFF for k in range(operand.count)]
    array = np.array(words, U32).reshape(-1, 1, 1)
    return array[0] if operand.count == 1 and operand.type != "r1" else array


def _negate64(value: np.ndarray) -> np.ndarray:
    low = U32(0) - value[0]
    return np.stack([low, ~value[1] + (low == 0)])


def modify(operand: Operand, value: np.ndarray) -> np.ndarray:
    """Apply the half selectors, |x|, -x and ~x that are written on an operand, by its type."""
    if operand.type == "f16x2" and operand.suffix in ("H0_H0", "H1_H1"):
        half = value & U32(0xFFFF) if operand.suffix == "H0_H0" else value >> U32(16)
        value = half * U32(0x10001)
    if operand.absolute:
        if operand.type == "f32":
            value = value & ~SIGN
        elif operand.type == "f16x2":
            value = value & U32(0x7FFF7FFF)
        elif operand.type == "f64":
            value = np.stack([np.broadcast_to(value[0], value[1].shape), value[1] & ~SIGN])
        else:
            value = np.where(value.view(np.int32) < 0, U32(0) - value, value)
    if operand.negate:
        if operand.type == "f32":
            value = value ^ SIGN
        elif operand.type == "f16x2":
            value = value ^ U32(0x80008000)
        elif operand.type == "f64":
            value = np.stack([np.broadcast_to(value[0], value[1].shape), value[1] ^ SIGN])
        elif operand.count == 2:
            value = _negate64(value)
        else:
            value = U32(0) - value
    return ~value if operand.invert else value


def reader(operand: Operand | None, ins: Instruction) -> Read:
    """A function that gives the operand's value for a group: arrays as semantics/__init__.py describes, None if
    absent.
    """
    if operand is None:
        return lambda state, group: None
    if operand.absolute and "XORSIGN" in ins.mods:  # the signs still matter; the semantics take them off
        operand = replace(operand, absolute=False)
    kind, index, count = operand.kind, operand.index, operand.count
    if kind in ("P", "UP"):
        return _predicate_reader(operand)
    if operand.type == "imm":
        return lambda state, group, value=operand.value: value  # type: ignore[misc]
    constant = _constant(operand, ins)
    if constant is not None:
        fixed = constant if kind == "imm" else modify(operand, constant)
        return lambda state, group: fixed
    if kind == "const":
        return _constant_reader(operand, ins)
    if kind not in ("R", "UR"):
        raise SsmsimError(f"operand {operand.text!r} has no value", ins.where, SUPPORTED)
    plain = not (operand.negate or operand.absolute or operand.invert or operand.suffix)
    name, single = ("r" if kind == "R" else "ur"), operand.type == "r1"
    where: Any = index if count == 1 else slice(index, index + count)

    def read(state: State, group: Group) -> np.ndarray:
        file = getattr(state, name)[where]
        if type(group.index) is not slice:
            file = file[group.index] if count == 1 else file[:, group.index]
        value = file if plain else modify(operand, file)
        return value[None] if single else value

    return read


def _predicate_reader(operand: Operand) -> Read:
    name, index, invert = ("p" if operand.kind == "P" else "up"), operand.index, operand.invert
    if index == PT:
        fixed = np.array([[not invert]])
        return lambda state, group: fixed

    def read(state: State, group: Group) -> np.ndarray:
        value = getattr(state, name)[index]
        if type(group.index) is not slice:
            value = value[group.index]
        return ~value if invert else value

    return read


def _constant_reader(operand: Operand, ins: Instruction) -> Read:
    """c[bank][offset], or indexed by a register (in bytes, 4-byte aligned; narrower ones are LDC's business)."""
    bank, count = operand.index, operand.count
    base = register_address(operand)

    def read(state: State, group: Group) -> np.ndarray:
        held = state.banks.get(bank)
        if held is None:
            raise SsmsimError(f"the cubin has no constant bank {bank}", ins.where, "capture with this bank's contents")
        words = held.words
        if base is None:
            first = operand.value // 4
            if first + count > len(words):
                raise SsmsimError(f"c[{bank:#x}][{operand.value:#x}] is behind the bank's end", ins.where)
            value = words[first : first + count].reshape(-1, 1, 1)
        else:
            place = np.clip(base(state, group) >> 2, 0, len(words) - count)  # idle lanes may hold anything
            value = np.stack([words[place + k] for k in range(count)])
        if state.labels is None and held.reasons:
            unknown = unknown_constants(operand, state, group)
            if unknown.any():
                state.meet_unknown(*_named(held.reasons[int(unknown.max()) - 1], ins))
        return modify(operand, value[0] if count == 1 else value)

    return read


def _named(reason: tuple[str, str], ins: Instruction) -> tuple[str, Instruction, str]:
    return reason[0], ins, reason[1]


def unknown_constants(operand: Operand, state: State, group: Group) -> np.ndarray:
    """uint8 [1, 1] or [W, 32]: of the words that running lanes read, which are not known (see hardware.Bank)."""
    unknown = state.banks[operand.index].unknown
    base, count = register_address(operand), operand.count
    if base is None:
        first = operand.value // 4
        return unknown[first : first + count].max(initial=0).reshape(1, 1)
    place = np.clip(base(state, group) >> 2, 0, len(unknown) - count)
    found = np.max([unknown[place + k] for k in range(count)], axis=0)
    return np.where(group.lanes, found, 0).astype(np.uint8)


def register_address(operand: Operand) -> Read | None:
    """Byte address of a mem or const operand: int64 [W, 32] or [W, 1]; None when no register takes part."""
    if operand.base < 0 and operand.uniform < 0:
        return None
    base, wide, scale, uniform, uniform_wide = (
        operand.base, operand.wide, operand.scale, operand.uniform, operand.uniform_wide
    )  # fmt: skip
    offset = operand.value
    narrow = not wide and not (uniform >= 0 and uniform_wide)

    def read(state: State, group: Group) -> np.ndarray:
        address: Any = None
        if base >= 0:
            low = state.r[base][group.index]
            address = np.empty(low.shape, np.int64)
            halves = address.view(np.uint32)  # of a little-endian host
            halves[:, ::2] = low
            halves[:, 1::2] = state.r[base + 1][group.index] if wide else 0
            if scale != 1:
                address *= scale
        if uniform >= 0:
            low = state.ur[uniform][group.index].astype(np.int64)
            if uniform_wide:
                low = low | state.ur[uniform + 1][group.index].astype(np.int64) << 32
            if address is None:
                address = low
            else:
                address += low
        if offset:
            address += offset
        if narrow:
            address &= 0xFFFFFFFF
        return address

    return read


FILES = {"R": "r", "UR": "ur", "P": "p", "UP": "up"}


def for_warp(value: np.ndarray, group: Group) -> np.ndarray:
    """What a uniform register takes from per-lane values [W, 32]: those of the first running lane."""
    if value.shape[-1] != 32:
        return value
    value = np.broadcast_to(value, (len(group.numbers), 32))
    return value[np.arange(len(value)), group.lanes.argmax(axis=1)][:, None]


def writer(operand: Operand | None, labels: bool = False) -> Write | None:
    """A function that stores a result for a group, in the lanes of a mask (None: all); None when it is not kept.

    labels: it stores the labels of unknown values instead, [W, 32] for all registers of the operand or [n, W, 32].
    """
    if operand is None or operand.is_zero or operand.is_true:
        return None
    name, uniform = FILES[operand.kind], operand.kind in ("UR", "UP")
    index, count = operand.index, operand.count

    def put(state: State, group: Group, register: int, value: Any, lanes: np.ndarray | None) -> None:
        file = getattr(state.labels if labels else state, name)[register]
        if uniform:
            value = for_warp(value, group)
            if lanes is not None and lanes.shape[-1] == 32:
                lanes = np.asarray(lanes.any(axis=1, keepdims=True))
        if type(group.index) is slice:
            if lanes is None:
                file[...] = value
            else:
                np.copyto(file, value, where=lanes)
        elif lanes is None:
            file[group.index] = value
        else:
            file[group.index] = np.where(lanes, value, file[group.index])

    def write(state: State, group: Group, value: Any, lanes: np.ndarray | None) -> None:
        if count == 1:
            put(state, group, index, value[0] if value.ndim == 3 else value, lanes)
        else:
            for k in range(count):
                put(state, group, index + k, value if labels and value.ndim == 2 else value[k], lanes)

    return write


def guard_lanes(operand: Operand | None) -> Read:
    """Lanes that execute: None when all lanes of all warps do, else bool [W, 32]."""
    if operand is None:
        return lambda state, group: None if group.full else group.lanes
    predicate = _predicate_reader(operand)

    def read(state: State, group: Group) -> np.ndarray:
        holds = predicate(state, group)
        if group.full:
            return np.broadcast_to(holds, (len(group.numbers), 32))
        return holds & group.lanes

    return read


def packed(lanes: np.ndarray | None, group: Group) -> np.ndarray:
    """uint32[W] of what guard_lanes gave."""
    return group.mask if lanes is None else pack(np.ascontiguousarray(lanes))
