"""Atomics: lanes that meet at one address take their turns, lane by lane and warp by warp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.decode import Instruction
from ssmsim.sass.opcodes import Space
from ssmsim.sass.records import access_bytes
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.lane_bytes import Places, all_lanes
from ssmsim.tracers.emulated.operand_values import Group, reader, writer
from ssmsim.tracers.emulated.semantics import find
from ssmsim.tracers.emulated.state import State
from ssmsim.tracers.emulated.unknown import Unknowns, labels_of, load_labels, store_labels

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
    function: Callable[..., Any] = find(ins.entry.semantics)
    width, operands = access_bytes(ins), [s for s in ins.sources[1:] if s is not None]
    if not operands:
        raise SsmsimError("no semantics for an atomic without a value", ins.where, "write them in semantics/atomic.py")
    reads = [reader(s, ins) for s in operands]
    destination = next((d for d in reversed(ins.destinations) if d is not None and d.kind == "R"), None)
    predicate = next((d for d in ins.destinations if d is not None and d.kind == "P"), None)
    write, write_predicate = writer(destination), writer(predicate)
    write_label, write_predicate_label = writer(destination, labels=True), writer(predicate, labels=True)
    label_of = labels_of([*operands, ins.guard])
    space = Space.GENERIC if ins.entry.space == Space.GENERIC else ins.entry.space

    def move(state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
        count, chosen = max(width // 4, 1), all_lanes(lanes, group)
        values = [
            np.broadcast_to(v if v.ndim == 3 else v[None], (count, *chosen.shape))
            for v in (r(state, group) for r in reads)
        ]
        before = np.zeros((count, *chosen.shape), np.uint32)
        label = label_of(state, group) if state.labels else None
        for part in Places(state, group, image, ins)(space, rows[:, 0], chosen):
            if label is not None:
                found = load_labels(part.marks, part.place, width, part.lanes, part.space, image, unknowns, ins)
                label = np.where(part.lanes, np.maximum(label, found), label)
                store_labels(part.marks, part.place, width, part.lanes, label)
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
                for k in range(count):
                    words[where + k] = result if count == 1 else result[k]
                before[:, w, x] = old
        if write:
            write(state, group, before if destination is not None and destination.count > 1 else before[0], chosen)
        if write_predicate:
            write_predicate(state, group, (before == values[0]).all(axis=0), chosen)
        for put in (write_label, write_predicate_label):
            if label is not None and put:
                put(state, group, label, chosen)

    return move
