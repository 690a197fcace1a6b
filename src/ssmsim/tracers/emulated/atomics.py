"""Atomics: lanes that meet at one address take their turns, lane by lane and warp by warp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.opcodes import SUPPORTED, Space
from ssmsim.sass.records import access_bytes
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.lane_bytes import Part, Places, all_lanes
from ssmsim.tracers.emulated.operand_values import Group, reader, writer
from ssmsim.tracers.emulated.semantics import find
from ssmsim.tracers.emulated.state import OrderWanted, State
from ssmsim.tracers.emulated.unknown import Unknowns, labels_of, load_labels, spoil, store_labels

Move = Callable[[State, Group, np.ndarray | None, np.ndarray], None]


def _rounds(place: np.ndarray) -> np.ndarray:
    """Per access, how many earlier ones hit the same place: those of one number do not collide."""
    order = np.argsort(place, kind="stable")
    sorted_ = place[order]
    new = np.concatenate([[True], sorted_[1:] != sorted_[:-1]])
    starts = np.maximum.accumulate(np.where(new, np.arange(len(place)), 0))
    rank = np.empty(len(place), np.int64)
    rank[order] = np.arange(len(place)) - starts
    return rank


def compile_atomic(ins: Instruction, image: Image | None, unknowns: Unknowns) -> Move:
    """The function that carries an atomic out, for the lanes of each memory that it touches.

    ATOM's predicate says whether the address was one that the unit serves: float, packed and 64-bit operations are not
    done in shared memory, where the code goes on to a loop of CAST.SPIN.
    """
    if ins.has("CAST"):
        return _cast(ins, image, unknowns)
    function: Callable[..., Any] = find(ins.entry.semantics)
    width, operands = access_bytes(ins), [s for s in ins.sources[1:] if s is not None]
    reads = [reader(s, ins) for s in operands]
    if not operands:
        if not ins.has("POPC") or any(ins.wants):
            raise SsmsimError("this atomic is not supported", ins.where, SUPPORTED)
        reads = [
            lambda state, group: np.full((1, 1), 0xFFFFFFFF, np.uint32)
        ]  # POPC.INC: 1 for each lane, without bound
    destination = next((d for d in reversed(ins.destinations) if d is not None and d.kind == "R"), None)
    predicate = next((d for d in ins.destinations if d is not None and d.kind == "P"), None)
    write, write_predicate = writer(destination), writer(predicate)
    write_label, write_predicate_label = writer(destination, labels=True), writer(predicate, labels=True)
    label_of, where_of = labels_of([*operands, ins.guard]), labels_of([ins.sources[0], ins.guard])
    space = ins.entry.space

    def move(state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
        count, chosen = max(width // 4, 1), all_lanes(lanes, group)
        values = [
            np.broadcast_to(v if v.ndim == 3 else v[None], (count, *chosen.shape))
            for v in (r(state, group) for r in reads)
        ]
        before = np.zeros((count, *chosen.shape), np.uint32)
        label = label_of(state, group) if state.labels else None
        served = np.zeros(chosen.shape, bool)
        for part in Places(state, group, image, ins)(space, rows[:, 0], chosen):
            if predicate is not None and write_predicate is not None and part.space != Space.GLOBAL:
                continue
            served |= part.lanes
            if part.space == Space.GLOBAL and unknowns.at_once and any(ins.wants):
                raise OrderWanted
            if label is not None:
                found = load_labels(part.marks, part.place, width, part.lanes, part.space, image, unknowns, ins)
                found = found.max(axis=0)
                stored = label
                label = np.where(part.lanes, np.maximum(label, found), label)
                store_labels(part.marks, part.place, width, part.lanes, stored if ins.has("EXCH") else label)
            state.version += _update(ins, function, part, values, before)
            if part.space == Space.GLOBAL and image is not None and unknowns.forgets and ins.index not in unknowns.maps:
                spoil(image, rows[:, 0], part.lanes, width)
        if write:
            write(state, group, before if destination is not None and destination.count > 1 else before[0], chosen)
        if write_predicate:
            write_predicate(state, group, served, chosen)
        if label is not None and write_label:
            write_label(state, group, label, chosen)
        if label is not None and write_predicate_label:
            write_predicate_label(state, group, where_of(state, group), chosen)

    return move


def _update(
    ins: Instruction, function: Callable[..., Any], part: Part, values: list[np.ndarray], before: np.ndarray
) -> bool:
    """Memory after the operation, and `before` [n, W, 32] what the lanes found, in turns. Has memory changed?"""
    changed = False
    count = len(before)
    warp, lane = np.nonzero(part.lanes)
    at, words = part.place[part.lanes] >> 2, part.data[: part.data.size // 4 * 4].view(np.uint32)
    rank = _rounds(at)
    for turn in range(int(rank.max(initial=-1)) + 1):
        now = rank == turn
        w, x, where = warp[now], lane[now], at[now]
        old = np.stack([words[where + k] for k in range(count)])
        given = [v[:, w, x] for v in values]
        compare, value = (given[0], given[1]) if len(given) > 1 else (None, given[0])
        arguments = [a if a is None or count > 1 else a[0] for a in (old, value, compare)]
        result = function(ins, *arguments)
        changed |= bool((result != arguments[0]).any())
        for k in range(count):
            words[where + k] = result if count == 1 else result[k]
        before[:, w, x] = old
    return changed


def _cast(ins: Instruction, image: Image | None, unknowns: Unknowns) -> Move:
    """CAST.SPIN Rd, [a], old, new: compare and swap in shared memory; Rd is 1 where the lane's value went in, else 0.

    It ends a loop that adds a float or 64-bit number (LDS, add, CAST.SPIN, repeat until it is 1). In trace mode the
    added data are not known: of the lanes of a warp with one address the first goes in and the others repeat. That a
    warp repeats because another came between depends on the time and is left out.
    """
    width, expected, new = access_bytes(ins), reader(ins.sources[1], ins), reader(ins.sources[2], ins)
    destination = next(d for d in reversed(ins.destinations) if d is not None and d.kind == "R")
    write, write_label = writer(destination), writer(destination, labels=True)
    label_of, where_of = labels_of([ins.sources[2], ins.guard]), labels_of([ins.sources[0], ins.guard])

    def move(state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
        chosen = all_lanes(lanes, group)
        done = np.zeros(chosen.shape, bool)
        shape = (width // 4, *chosen.shape)
        old, value = (
            np.broadcast_to(v if v.ndim == 3 else v[None], shape) for v in (expected(state, group), new(state, group))
        )
        for part in Places(state, group, image, ins)(ins.entry.space, rows[:, 0], chosen):
            warp, lane = np.nonzero(part.lanes)
            at, words = part.place[part.lanes] >> 2, part.data[: part.data.size // 4 * 4].view(np.uint32)
            first = _rounds(at if unknowns.full else at * len(chosen) + warp) == 0
            w, x, where = warp[first], lane[first], at[first]
            fits = np.ones(len(w), bool)
            if unknowns.full:
                fits = np.all([words[where + k] == old[k, w, x] for k in range(width // 4)], axis=0)
            for k in range(width // 4):
                words[where[fits] + k] = value[k, w[fits], x[fits]]
            state.version += bool(fits.any())
            done[w[fits], x[fits]] = True
            if state.labels:
                store_labels(part.marks, part.place, width, part.lanes & done, label_of(state, group))
        if write:
            one = done.astype(np.uint32)
            write(state, group, one if destination.count == 1 else (one, np.zeros_like(one)), chosen)
        if state.labels and write_label:
            write_label(state, group, where_of(state, group), chosen)

    return move
