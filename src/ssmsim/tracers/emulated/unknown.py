"""Values that trace mode cannot know: what was loaded from buffers without recorded contents, and all computed from it.

Beside every register and byte lies a label, 0 when the value is known. A load of unrecorded bytes gives its lanes a
new label, each instruction hands its sources' labels on, and an address, branch, mask or barrier that has one is an
error that names the load. Only kernels whose slice loads from device memory carry labels at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.decode import Instruction
from ssmsim.sass.opcodes import Space, Unit
from ssmsim.sass.operands import PT, Operand
from ssmsim.sass.records import predicate_set
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.operand_values import FILES, Group, guard_lanes, writer
from ssmsim.tracers.emulated.state import State

KNOWN = 1  # mark of a byte in memory that was recorded or stored; 0: never (fine in shared memory, unknown in global)
SPOILED = 2  # mark of a byte that the kernel stored without its value being computed
FIRST = 3  # labels of loads start here
Read = Callable[[State, Group], np.ndarray]


class UnknownMet(Exception):
    """A plan without labels met a byte that is not known: the batch must run again with labels."""


class Unknowns:
    """The loads that gave labels: label FIRST + i stands for loads[i]."""

    def __init__(self, watched: bool) -> None:
        """watched: loads of unknown bytes matter (trace mode)."""
        self.watched = watched
        self.loads: list[tuple[str, str]] = []

    def label(self, ins: Instruction, buffer: str) -> int:
        """The label of a load from a buffer; the last one is shared when there are too many."""
        key = (ins.where, buffer)
        if key not in self.loads and len(self.loads) < 250:
            self.loads.append(key)
        return FIRST + (self.loads.index(key) if key in self.loads else len(self.loads) - 1)

    def refuse(self, labels: np.ndarray, lanes: np.ndarray, ins: Instruction, what: str) -> None:
        """SsmsimError when a lane's label is set: names PC, instruction, and the load and buffer behind it."""
        bad = np.broadcast_to(labels, lanes.shape)[lanes]
        bad = bad[bad > 0]
        if bad.size:
            load, buffer = self.loads[int(bad[0]) - FIRST]
            raise SsmsimError(
                f"its {what} depends on data that {load} loads from {buffer}", ins.where,
                "capture the launch with this buffer's contents",
            )  # fmt: skip


def _pieces(operand: Operand | None) -> list[tuple[str, int]]:
    """(register file, number) of all that an operand's value comes from."""
    if operand is None:
        return []
    if operand.kind in FILES and not operand.is_zero and not operand.is_true:
        return [(FILES[operand.kind], operand.index + k) for k in range(operand.count)]
    found = []
    if operand.kind in ("mem", "const"):
        found += [("r", operand.base + k) for k in range(1 + operand.wide)] if operand.base >= 0 else []
        found += [("ur", operand.uniform + k) for k in range(1 + operand.uniform_wide)] if operand.uniform >= 0 else []
    if operand.kind == "gdesc":
        found += [("ur", operand.index + k) for k in range(4)]
    return found


def labels_of(operands: Iterable[Operand | None], ins: Instruction | None = None) -> Read:
    """uint8 [W, 32] labels of some operands taken together (and of the predicates that P2R reads)."""
    pieces = [piece for operand in operands for piece in _pieces(operand)]
    if ins is not None:
        bits = predicate_set(ins, (), written=False)
        pieces += [("p" if k < 8 else "up", k % 8) for k in range(15) if bits >> k & 1 and k % 8 != PT]

    def read(state: State, group: Group) -> np.ndarray:
        label = np.zeros((len(group.numbers), 32), np.uint8)
        for name, number in pieces:
            label = np.maximum(label, getattr(state.labels, name)[number][group.index])
        return label

    return read


def pass_labels(ins: Instruction, execute: Callable[[State, Group], None]) -> Callable[[State, Group], None]:
    """`execute`, handing the labels of sources and guard on to the destinations; between lanes, any lane's to all."""
    read = labels_of((*ins.sources, ins.guard), ins)
    guard, lanes_of = labels_of([ins.guard]), guard_lanes(ins.guard)
    numbers = predicate_set(ins, (), written=True) if ins.base in ("R2P", "UR2UP") else 0
    extra = [Operand("P" if k < 8 else "UP", k % 8) for k in range(15) if numbers >> k & 1]
    writers = [w for w in (writer(d, labels=True) for d in (*ins.destinations, *extra)) if w is not None]
    crosses = bool({"active", "machine"} & set(ins.entry.extras)) and not ins.base.startswith(("S2", "CS2"))
    whole = crosses or ins.entry.unit == Unit.TENSOR or ins.base == "MOVM"

    def run(state: State, group: Group) -> None:
        label, lanes = read(state, group), lanes_of(state, group)
        if whole and label.any():
            label = np.broadcast_to(label.max(axis=1, keepdims=True), label.shape)
        if lanes is not None and ins.guard is not None:
            lanes = lanes | (guard(state, group) > 0) & group.lanes
        execute(state, group)
        for write in writers:
            write(state, group, label, lanes)

    return run


def load_labels(
    marks: np.ndarray, place: np.ndarray, width: int, lanes: np.ndarray, space: Space, image: Image | None,
    unknowns: Unknowns, ins: Instruction,
) -> np.ndarray:  # fmt: skip
    """uint8 [W, 32] labels of `width` bytes at byte indices `place`; never recorded bytes of global memory get one."""
    seen = np.stack([marks[place + k] for k in range(width)])
    high = seen.max(axis=0)
    label = np.where(lanes & (high >= FIRST), high, 0).astype(np.uint8)
    spoiled = lanes & (seen == SPOILED).any(axis=0)
    if spoiled.any():
        label[spoiled] = unknowns.label(ins, "bytes that the kernel itself stores")
    if space == Space.GLOBAL and image is not None:
        blind = lanes & (seen.min(axis=0) == 0)
        if blind.any():
            for k in np.unique(image.region_of_place(place[blind])):
                here = blind & (image.region_of_place(place) == k)
                label[here] = unknowns.label(ins, f"{image.names[int(k)]}, which is not recorded")
    return label


def store_labels(marks: np.ndarray, place: np.ndarray, width: int, lanes: np.ndarray, label: np.ndarray) -> None:
    """Mark stored bytes as known, or with their value's label."""
    value = np.where(label > 0, label, KNOWN)[lanes]
    for k in range(width):
        marks[place[lanes] + k] = value


def all_known(marks: np.ndarray, place: np.ndarray, width: int, lanes: np.ndarray) -> None:
    """UnknownMet when one of the bytes was not recorded."""
    for k in (0, width - 1):  # recorded and stored pieces are no smaller than an access
        if (lanes & (marks[place + k] != KNOWN)).any():
            raise UnknownMet


def spoil(image: Image, addresses: np.ndarray, lanes: np.ndarray, width: int) -> None:
    """Mark bytes that a store of unwanted values changes; only recorded ones matter."""
    place = image.place(addresses, lanes)
    for k in range(width):
        there = (place + k)[lanes & (image.marks[place + k] == KNOWN)]
        if there.size:
            image.marks[there] = SPOILED
            image.spoiled.append(there)


def unspoil(image: Image) -> None:
    """Take back what was marked since the list was last emptied: its batch runs again."""
    for places in image.spoiled:
        image.marks[places] = KNOWN
    image.spoiled.clear()
