"""Values that trace mode cannot know, and all computed from them: what was loaded from buffers without recorded
contents, module variables that nobody recorded, clocks, constants that the driver fills.

Beside every register and byte lies a label, 0 when the value is known. A read of an unknown value gives its lanes a
new label, each instruction hands its sources' labels on, and an address, branch, mask or barrier that has one is an
error that names the read. Only kernels whose slice reads something that may be unknown carry labels at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.opcodes import Space, Unit
from ssmsim.sass.operands import PT, Operand
from ssmsim.sass.records import predicate_set
from ssmsim.tracers.emulated import hardware
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.module import CAPTURE
from ssmsim.tracers.emulated.operand_values import FILES, Group, guard_lanes, reader, unknown_constants, writer
from ssmsim.tracers.emulated.semantics.lanes import shfl
from ssmsim.tracers.emulated.state import State, UnknownMet

KNOWN = 1  # mark of a byte in memory that was recorded or stored; 0: never (fine in shared memory, unknown in global)
SPOILED = 2  # mark of a byte that the kernel stored without its value being computed
FIRST = 3  # labels of reads start here
OF_THE_LAUNCH = (
    "control by what the same launch writes (locks, flags, tickets, scratch in global memory) is followed through "
    "loads, stores and atomics alone, of values that are known"
)
Read = Callable[[State, Group], np.ndarray]


class UnknownData(SsmsimError):
    """Control depends on data that nobody recorded. loads: (load instruction, address of the allocation it read)."""

    def __init__(self, what: str, where: object, todo: str, loads: Iterable[tuple[int, int]]) -> None:
        super().__init__(what, where, todo)
        self.loads = frozenset(loads)


class DataOfTheLaunch(UnknownData):
    """Control depends on what the same launch writes."""


class StoresWanted(Exception):
    """Control depends on stores whose values were not computed. feeds: by load, those stores."""

    def __init__(self, feeds: dict[int, set[int]]) -> None:
        super().__init__(str(feeds))
        self.feeds = feeds


class Unknowns:
    """The reads that gave labels: label FIRST + i stands for reads[i], (what it read, what a user can do).

    loads: by label, (instruction, address of the allocation) of the loads from unrecorded memory that gave it.
    stored_by: by label, the loads that gave it from bytes that the launch itself stores. spoilers: by load, the
    stores of such bytes, as far as they are known (order.py). at_once: blocks are run in no order that counts, so
    that atomics on global memory tell nothing. forgets: nor do stores there, even if their values are computed, but for
    `maps`, instructions that write tensor maps, which copies of their own block read.
    """

    def __init__(self, watched: bool, full: bool = False) -> None:
        """watched: reads of unknown values matter (trace mode). full: all values are carried out (full mode)."""
        self.watched, self.full = watched, full
        self.reads: list[tuple[str, str]] = []
        self.loads: dict[int, set[tuple[int, int]]] = {}
        self.stored_by: dict[int, set[int]] = {}
        self.spoilers: dict[int, set[int]] = {}
        self.at_once = self.forgets = False
        self.maps: frozenset[int] = frozenset()

    def label(self, what: str, todo: str) -> int:
        """The label of a read; the last one is shared when there are too many."""
        key = (what, todo)
        if key not in self.reads and len(self.reads) < 250:
            self.reads.append(key)
        return FIRST + (self.reads.index(key) if key in self.reads else len(self.reads) - 1)

    def load(self, ins: Instruction, memory: str, address: int) -> int:
        """The label of a load from a buffer or variable that is not recorded. address: of its allocation."""
        todo = CAPTURE if memory.startswith("__device__") else "capture the launch with this buffer's contents"
        label = self.label(f"data that {ins.place} loads from {memory}, which is not recorded", todo)
        self.loads.setdefault(label, set()).add((ins.index, address))
        return label

    def stored(self, ins: Instruction) -> int:
        """The label of a load from bytes that the launch itself changes."""
        label = self.label(f"data that {ins.place} loads from bytes that the kernel itself stores", OF_THE_LAUNCH)
        self.stored_by.setdefault(label, set()).add(ins.index)
        return label

    def refuse(self, labels: np.ndarray, lanes: np.ndarray, ins: Instruction, what: str) -> None:
        """UnknownData when a lane's label is set: names PC, instruction, and the read behind it."""
        bad = np.broadcast_to(labels, lanes.shape)[lanes]
        bad = bad[bad > 0]
        if bad.size:
            source, todo = self.reads[int(bad[0]) - FIRST]
            labels_met = np.unique(bad).tolist()
            stored = {load for label in labels_met for load in self.stored_by.get(label, ())}
            feeds = {load: self.spoilers[load] for load in stored if self.spoilers.get(load)}
            if feeds:
                raise StoresWanted(feeds)
            loads = {load for label in labels_met for load in self.loads.get(label, ())}
            if stored:
                raise DataOfTheLaunch(f"its {what} depends on {source}", ins.where, todo, loads)
            raise UnknownData(f"its {what} depends on {source}", ins.where, todo, loads)


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


def labels_of(
    operands: Iterable[Operand | None], ins: Instruction | None = None, unknowns: Unknowns | None = None
) -> Read:
    """uint8 [W, 32] labels of some operands taken together (and of the predicates that P2R reads).

    unknowns: constants and special registers count, too.
    """
    operands = list(operands)
    pieces = [piece for operand in operands for piece in _pieces(operand)]
    if ins is not None:
        bits = predicate_set(ins, (), written=False)
        pieces += [("p" if k < 8 else "up", k % 8) for k in range(15) if bits >> k & 1 and k % 8 != PT]
    given = [] if unknowns is None or ins is None else [
        _given(o, ins, unknowns) for o in operands if o is not None and o.kind in ("const", "sreg")
    ]  # fmt: skip

    def read(state: State, group: Group) -> np.ndarray:
        label = np.zeros((len(group.numbers), 32), np.uint8)
        for name, number in pieces:
            label = np.maximum(label, getattr(state.labels, name)[number][group.index])
        for source in given:
            label = np.maximum(label, source(state, group))
        return label

    return read


def _given(operand: Operand, ins: Instruction, unknowns: Unknowns) -> Read:
    """Labels that a constant or special register gives by itself."""
    none = np.zeros((1, 1), np.uint8)
    if operand.kind == "sreg":
        what = hardware.unfixed(operand.text)
        label = unknowns.label(f"{what}, which {ins.place} reads", hardware.TIMES) if what else 0
        fixed = np.full((1, 1), label, np.uint8)
        return lambda state, group: fixed

    def read(state: State, group: Group) -> np.ndarray:
        bank = state.banks.get(operand.index)
        if bank is None or not bank.reasons:
            return none
        found = unknown_constants(operand, state, group)
        label = np.zeros(found.shape, np.uint8)
        for number in np.unique(found[found > 0]):
            what, todo = bank.reasons[number - 1]
            label[found == number] = unknowns.label(f"{what}, which {ins.place} reads", todo)
        return label

    return read


def labels_each(operand: Operand | None, guard: Operand | None) -> Read:
    """uint8 [n, W, 32]: labels of each register of an operand, those of the guard in all."""
    pieces, of_guard = _pieces(operand), labels_of([guard])
    count = operand.count if operand is not None else 1

    def read(state: State, group: Group) -> np.ndarray:
        label = np.repeat(of_guard(state, group)[None], count, axis=0)
        for k, (name, number) in enumerate(pieces[:count]):
            label[k] = np.maximum(label[k], getattr(state.labels, name)[number][group.index])
        return label

    return read


def pass_labels(
    ins: Instruction, execute: Callable[[State, Group], None], unknowns: Unknowns
) -> Callable[[State, Group], None]:
    """`execute`, handing the labels of sources and guard on to the destinations; between lanes, any lane's that takes part
    to all, but a shuffle's from the lane that it reads.
    """
    read = _shuffled(ins) if ins.base == "SHFL" else labels_of((*ins.sources, ins.guard), ins, unknowns)
    guard, lanes_of = labels_of([ins.guard]), guard_lanes(ins.guard)
    numbers = predicate_set(ins, (), written=True) if ins.base in ("R2P", "UR2UP") else 0
    extra = [Operand("P" if k < 8 else "UP", k % 8) for k in range(15) if numbers >> k & 1]
    writers = [w for w in (writer(d, labels=True) for d in (*ins.destinations, *extra)) if w is not None]
    crosses = bool({"active", "machine"} & set(ins.entry.extras)) and not ins.base.startswith(("S2", "CS2", "SHFL"))
    tile = ins.entry.unit == Unit.TENSOR or ins.base == "MOVM"

    def run(state: State, group: Group) -> None:
        label, lanes = read(state, group), lanes_of(state, group)
        if (crosses or tile) and label.any():
            there = np.where(group.lanes, label, 0) if crosses else label  # what lanes that left hold is not looked at
            label = np.broadcast_to(there.max(axis=1, keepdims=True), label.shape)
        if lanes is not None and ins.guard is not None:
            lanes = lanes | (guard(state, group) > 0) & group.lanes
        if not label.all():  # else nobody looks at the values: products of unrecorded matrices are not multiplied
            execute(state, group)
        for write in writers:
            write(state, group, label, lanes)

    return run


def _shuffled(ins: Instruction) -> Read:
    """Labels of what a SHFL gives: those of the lane that each one reads, all of them where that lane is unknown."""
    data, which = labels_of(ins.sources[:1]), labels_of((*ins.sources[1:], ins.guard))
    place = [reader(operand, ins) for operand in ins.sources[1:]]

    def read(state: State, group: Group) -> np.ndarray:
        label, unsure = data(state, group), which(state, group)
        if not label.any() and not unsure.any():
            return label
        distance, clamp = (r(state, group) for r in place)
        _, moved = shfl(ins, label, distance, clamp, group.lanes)
        open_ = np.where(unsure > 0, label.max(axis=1, keepdims=True), 0)
        return np.maximum.reduce([moved, unsure, open_]).astype(np.uint8)

    return read


def load_labels(
    marks: np.ndarray, place: np.ndarray, width: int, lanes: np.ndarray, space: Space, image: Image | None,
    unknowns: Unknowns, ins: Instruction,
) -> np.ndarray:  # fmt: skip
    """uint8 [n, W, 32]: labels of the n words of `width` bytes at byte indices `place` (n = 1 for less than a word).

    Bytes of global memory that nobody recorded get one.
    """
    count = max(1, width // 4)
    seen = np.stack([marks[place + k] for k in range(width)]).reshape(count, -1, *place.shape)
    high = seen.max(axis=1)
    label = np.where(lanes & (high >= FIRST), high, 0).astype(np.uint8)
    spoiled = lanes & (seen == SPOILED).any(axis=1)
    if spoiled.any():
        label[spoiled] = unknowns.stored(ins)
    if space == Space.GLOBAL and image is not None:
        blind = lanes & (seen.min(axis=1) == 0)
        if blind.any():
            regions = image.region_of_place(place)
            for k in np.unique(regions[blind.any(axis=0)]):
                label[blind & (regions == k)] = unknowns.load(ins, image.names[int(k)], int(image.starts[int(k)]))
    return label


def store_labels(marks: np.ndarray, place: np.ndarray, width: int, lanes: np.ndarray, label: np.ndarray) -> None:
    """Mark stored bytes as known, or with their value's label: [W, 32], or [n, W, 32] for each register stored."""
    values = np.where(label > 0, label, KNOWN)
    values = values if values.ndim == 3 else values[None]
    for k in range(width):
        marks[place[lanes] + k] = values[min(k // 4, len(values) - 1)][lanes]


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
