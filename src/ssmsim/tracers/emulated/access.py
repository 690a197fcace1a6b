"""Memory instructions carried out: the address rows they leave in the trace, and, where wanted, the data they move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ssmsim.sass.instruction import Instruction
from ssmsim.sass.opcodes import WARPGROUP_PRODUCTS, Access, Space
from ssmsim.sass.operands import Operand
from ssmsim.sass.records import access_bytes
from ssmsim.trace.types import SHARED_WINDOW, WINDOW_BYTES
from ssmsim.tracers.emulated.address_space import Image, gather, scatter
from ssmsim.tracers.emulated.atomics import compile_atomic
from ssmsim.tracers.emulated.cluster_access import OFFSET
from ssmsim.tracers.emulated.execute import descriptors
from ssmsim.tracers.emulated.hardware import local_window
from ssmsim.tracers.emulated.lane_bytes import Places, all_lanes
from ssmsim.tracers.emulated.operand_values import Group, packed, reader, register_address, writer
from ssmsim.tracers.emulated.semantics import find
from ssmsim.tracers.emulated.state import OrderWanted, State
from ssmsim.tracers.emulated.unknown import (
    Unknowns,
    all_known,
    labels_each,
    labels_of,
    load_labels,
    spoil,
    store_labels,
)

Rows = Callable[[State, Group, np.ndarray | None], np.ndarray]
Move = Callable[[State, Group, np.ndarray | None, np.ndarray], None]


def address_of(operand: Operand) -> Callable[[State, Group], np.ndarray]:
    """int64 [W, 32] byte addresses of a mem operand."""
    address = register_address(operand)
    fixed = np.full((1, 1), operand.value, np.int64)

    def read(state: State, group: Group) -> np.ndarray:
        value = fixed if address is None else address(state, group)
        return value if value.shape == (len(group.numbers), 32) else np.broadcast_to(value, (len(group.numbers), 32))

    return read


def memory_operands(ins: Instruction) -> list[Operand]:
    return [s for s in ins.sources if s is not None and s.kind == "mem"]


def compile_rows(ins: Instruction, image: Image | None) -> Rows:
    """Function (state, group, lanes) -> int64 [W, rows, 32], as BlockTrace.addresses describes; checks bounds.

    lanes: bool [W, 32] or None for all. image: bounds of global memory, None to leave them unchecked.
    """
    if ins.base in WARPGROUP_PRODUCTS:
        return _descriptor_rows(ins)
    operands = [address_of(o) for o in memory_operands(ins)]
    width, space = access_bytes(ins), ins.entry.space
    fill = reader(ins.sources[2], ins) if ins.entry.access == Access.COPY and ins.sources[2] is not None else None
    spaces = [Space.SHARED, Space.GLOBAL] if ins.entry.access == Access.COPY else [space]
    aligned = -width if ins.has("ZFILL") else -1  # the low bits of a ZFILL address say how many bytes to fill

    def rows(state: State, group: Group, lanes: np.ndarray | None) -> np.ndarray:
        found = np.empty((len(group.numbers), len(operands), 32), np.int64)
        mask = packed(lanes, group)
        for k, (read, where) in enumerate(zip(operands, spaces, strict=True)):
            value = read(state, group)
            if where == Space.GLOBAL:
                value = value & aligned if aligned != -1 else value
                if fill is not None:
                    value = np.where(fill(state, group), value, ~value)
                if image is not None:
                    image.check(value, mask, width, ins)
            found[:, k] = value
        return found

    return rows


def _descriptor_rows(ins: Instruction) -> Rows:
    register = next(s.index for s in ins.sources if s is not None and s.kind == "gdesc")
    from_registers = ins.sources[0] is not None

    def rows(state: State, group: Group, lanes: np.ndarray | None) -> np.ndarray:
        a, b = descriptors(register, state, group)
        found = np.zeros((len(group.numbers), 1, 32), np.int64)
        found[:, 0, 0] = -1 if from_registers else a.astype(np.int64)
        found[:, 0, 1] = b.astype(np.int64)
        return found

    return rows


def compile_move(ins: Instruction, image: Image | None, unknowns: Unknowns) -> Move:
    """Function (state, group, lanes, rows) that moves the data of a memory instruction, and its labels if there are
    any.
    """
    access = ins.entry.access
    if ins.entry.semantics and access in (Access.LOAD, Access.STORE):
        return _matrix_move(ins, unknowns)
    return {Access.LOAD: _load, Access.STORE: _store, Access.COPY: _copy, Access.ATOMIC: compile_atomic}[access](
        ins, image, unknowns
    )


def _load(ins: Instruction, image: Image | None, unknowns: Unknowns) -> Move:
    destination = next(d for d in reversed(ins.destinations) if d is not None)
    write, write_label = writer(destination), writer(destination, labels=True)
    width, signed, strong = access_bytes(ins), bool(ins.mods & {"S8", "S16"}), ins.has("STRONG")

    def move(state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
        for part in Places(state, group, image, ins)(ins.entry.space, rows[:, 0], all_lanes(lanes, group)):
            if strong and unknowns.at_once and part.space == Space.GLOBAL and image is not None:
                _note_reader(image, state, group, part.place, part.lanes, width)
            value = gather(part.data, part.place, width, signed)
            if write:
                write(state, group, value if destination.count > 1 else value[0], part.lanes)
            if not state.labels and unknowns.watched and part.space == Space.GLOBAL:
                all_known(part.marks, part.place, width, part.lanes)
            if state.labels and write_label:
                label = load_labels(part.marks, part.place, width, part.lanes, part.space, image, unknowns, ins)
                write_label(state, group, label, part.lanes)

    return move


def _store(ins: Instruction, image: Image | None, unknowns: Unknowns) -> Move:
    read, width, label_of = reader(ins.sources[1], ins), access_bytes(ins), labels_each(ins.sources[1], ins.guard)

    def move(state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
        value = read(state, group)
        value = value if value.ndim == 3 else value[None]
        value = np.broadcast_to(value, (len(value), len(group.numbers), 32))
        for part in Places(state, group, image, ins)(ins.entry.space, rows[:, 0], all_lanes(lanes, group)):
            scatter(part.data, part.place, width, value, part.lanes)
            if state.labels:
                store_labels(part.marks, part.place, width, part.lanes, label_of(state, group))
            if part.space == Space.GLOBAL and image is not None and unknowns.forgets:
                look_for_readers(image, state, group, part.place, part.lanes, width)
                if ins.index not in unknowns.maps:
                    spoil(image, rows[:, 0], part.lanes, width)

    return move


def _note_reader(image: Image, state: State, group: Group, place: np.ndarray, lanes: np.ndarray, width: int) -> None:
    """Note which block reads words with a strong load, which is for what others may store: a later store must show."""
    if image.readers is None:
        image.readers = np.zeros(image.data.size // 4 + 4, np.int32)
    block = np.broadcast_to(state.blocks[state.block_of[group.numbers]][:, None] + 1, lanes.shape)[lanes]
    for k in range(0, width, 4):
        at = (place[lanes] + k) >> 2
        image.readers[at] = np.where((image.readers[at] == 0) | (image.readers[at] == block), block, -1)
        image.readers[at[image.readers[at] != block]] = -1


def look_for_readers(
    image: Image, state: State, group: Group, place: np.ndarray, lanes: np.ndarray, width: int
) -> None:
    """OrderWanted when another block has read with a strong load what is about to be stored to."""
    if image.readers is None:
        return
    block = np.broadcast_to(state.blocks[state.block_of[group.numbers]][:, None] + 1, lanes.shape)[lanes]
    for k in range(0, width, 4):
        reader = image.readers[(place[lanes] + k) >> 2]
        if ((reader != 0) & (reader != block)).any():
            raise OrderWanted


def _copy(ins: Instruction, image: Image | None, unknowns: Unknowns) -> Move:
    """LDGSTS: global to shared memory; lanes whose predicate is false, and the last bytes with .ZFILL, get zeros."""
    width, source = access_bytes(ins), address_of(memory_operands(ins)[1])

    def move(state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
        chosen, value = all_lanes(lanes, group), np.zeros((max(width // 4, 1), len(group.numbers), 32), np.uint32)
        reads, label = chosen & (rows[:, 1] >= 0), np.zeros((1, *chosen.shape), np.uint8)
        places = Places(state, group, image, ins)
        if reads.any():
            (part,) = places(Space.GLOBAL, rows[:, 1], reads)
            value = np.where(reads, gather(part.data, part.place, width, False), 0).astype(np.uint32)
            if ins.has("ZFILL"):
                kept = width - (source(state, group) & (width - 1))
                for k in range(len(value)):
                    bits = 8 * np.clip(kept - 4 * k, 0, 4)
                    value[k] &= ((1 << bits) - 1).astype(np.uint32)
            if not state.labels and unknowns.watched:
                all_known(part.marks, part.place, width, reads)
            if state.labels:
                label = load_labels(part.marks, part.place, width, reads, part.space, image, unknowns, ins)
        (part,) = places(Space.SHARED, rows[:, 0], chosen)
        scatter(part.data, part.place, width, value, chosen)
        if state.labels:
            store_labels(part.marks, part.place, width, chosen, label)

    return move


def _matrix_move(ins: Instruction, unknowns: Unknowns) -> Move:
    function: Callable[..., Any] = find(ins.entry.semantics)
    load = ins.entry.access == Access.LOAD
    destination = ins.destinations[0] if load else None
    write, write_label = writer(destination), writer(destination, labels=True)
    read = None if load else reader(ins.sources[1], ins)
    label_of = labels_of(() if load else [ins.sources[1], ins.guard])

    def marks(state: State, group: Group, rows: np.ndarray) -> None:
        """The labels of a tile go to every lane of the warp: lanes hold each other's rows."""
        everyone = all_lanes(None, group)
        size = state.shared.shape[1]
        place = np.clip(rows[:, 0] & OFFSET, 0, size - 16) + state.block_of[group.index][:, None] * size
        assert state.labels is not None
        if load and write_label:
            label = load_labels(state.labels.shared, place, 16, everyone, Space.SHARED, None, unknowns, ins)
            label = label.max(axis=0)
            write_label(state, group, np.broadcast_to(label.max(axis=1, keepdims=True), label.shape), everyone)
        elif not load:
            label = label_of(state, group).max(axis=1, keepdims=True)
            store_labels(state.labels.shared, place, 16, everyone, np.broadcast_to(label, place.shape))

    def move(state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
        machine, address = state.machine(group.index), rows[:, 0]
        if state.cluster.size > 1:
            address = address & OFFSET  # its own rank
        if state.labels:
            marks(state, group, rows)
        if read is None:
            running = all_lanes(lanes, group).any(axis=1, keepdims=True)  # a guard that is false leaves any address
            value = function(ins, np.where(running, address, 0), machine=machine)
            if write and destination is not None:
                write(state, group, value if destination.count > 1 or value.ndim == 2 else value[0], lanes)
        else:
            value = read(state, group)
            function(
                ins, address, value if value.ndim == 3 else value[None], active=all_lanes(lanes, group), machine=machine
            )

    return move


def compile_spoil(ins: Instruction, image: Image) -> Move:
    """Function (state, group, lanes, rows) that marks the recorded bytes which an unwanted store changes."""
    width = access_bytes(ins)

    def move(state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
        inside = all_lanes(lanes, group)
        if ins.entry.space == Space.GENERIC:
            end = local_window(state.launch) + WINDOW_BYTES
            inside = inside & ((rows[:, 0] < SHARED_WINDOW) | (rows[:, 0] >= end))
            image.check(rows[:, 0], packed(inside, group), width, ins)  # compile_rows knows no generic bounds
        if image.readers is not None and inside.any():
            look_for_readers(image, state, group, image.place(rows[:, 0], inside), inside, width)
        spoil(image, rows[:, 0], inside, width)

    return move
