"""Accesses to global memory that take effect when an engine says so: loads and atomics that control hangs on, and the
stores that they may find.

A warp goes on to the first instruction that touches the value of such a load or atomic, and waits there. A store's data
are put by when it is executed and written when it takes place. All other accesses are carried out at once, as far as
their values are wanted; one that meets what the launch writes is pending from then on (Overtaken).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ssmsim.sass.decode import Code
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.opcodes import Access
from ssmsim.sass.operands import RZ, URZ, Operand
from ssmsim.sass.records import access_bytes
from ssmsim.trace.types import READS_TIME
from ssmsim.tracers.emulated.address_space import Image, gather
from ssmsim.tracers.emulated.execute import runs
from ssmsim.tracers.emulated.hardware import at_a_time
from ssmsim.tracers.emulated.lane_bytes import all_lanes
from ssmsim.tracers.emulated.log import Log
from ssmsim.tracers.emulated.operand_values import Group, writer
from ssmsim.tracers.emulated.order import OF_GLOBAL, Execute, Move, of_global
from ssmsim.tracers.emulated.resources import operand_bits
from ssmsim.tracers.emulated.slice import Slice
from ssmsim.tracers.emulated.state import State
from ssmsim.tracers.emulated.unknown import SPOILED, Unknowns

MANY = -1  # blocks


class Overtaken(Exception):
    """Loads that were carried out at once meet what the launch writes. loads: their instructions."""

    def __init__(self, loads: set[int]) -> None:
        super().__init__(str(loads))
        self.loads = loads


@dataclass
class Batch:
    """Blocks that began together. Per warp int64[G]: outstanding, values that it waits for; the last one's instruction
    and what was read (checksum), and how often in a row it was the same without memory having changed (repeats), as of
    which version of memory.
    """

    state: State
    log: Log
    left: set[int]  # blocks that have not ended
    made: list[tuple[np.ndarray, np.ndarray, np.ndarray, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        warps = self.state.warps
        self.outstanding, self.last, self.repeats, self.version = np.zeros((4, warps), np.int64)
        self.read = np.zeros(warps, np.uint64)


@dataclass
class Deferred:
    """One executed instruction of some warps, put by. lanes bool[W, 32]: that access global memory. rows: as the move takes
    them. kept: data registers as they were, by register file.
    """

    ins: Instruction
    move: Move
    batch: Batch
    warps: np.ndarray
    mask: np.ndarray
    lanes: np.ndarray
    rows: np.ndarray
    kept: list[tuple[str, np.ndarray, np.ndarray, np.ndarray | None]]
    waits: bool


@dataclass
class Reading:
    """An instruction that reads the time, executed by one warp. mask: its lanes."""

    ins: Instruction
    execute: Execute
    batch: Batch
    warp: int
    mask: int


@dataclass(frozen=True)
class Moment:
    """When and where something takes place."""

    cycle: int
    sm: int


def tracked_at_first(code: Code, part: Slice) -> set[int]:
    """Loads and atomics that are pending from the beginning: strong ones, and atomics whose result counts."""
    return {
        i.index for i in code.instructions
        if part.computes[i.index] and i.entry.space in OF_GLOBAL and (
            (i.entry.access == Access.ATOMIC and any(i.wants)) or (i.entry.access == Access.LOAD and i.has("STRONG"))
        )
    }  # fmt: skip


def first_uses(code: Code, tracked: set[int]) -> set[int]:
    """Instructions at which a warp has to wait, in straight code: the first to touch what a pending access gives."""
    found = set()
    for load in tracked:
        results = 0
        for operand in code.instructions[load].destinations:
            results |= operand_bits(operand)
        for ins in code.instructions[load + 1 :]:
            touched = operand_bits(ins.guard)
            for operand in (*ins.sources, *ins.destinations):
                touched |= operand_bits(operand)
            if touched & results or ins.base in ("P2R", "R2P", "UP2UR", "UR2UP"):
                found.add(ins.index)
                break
            if ins.entry.control:
                break
    return found


class PendingAccesses:
    """Of all blocks of a launch: see the head of this file.

    Per piece of memory: written bool, whether the launch stores there; int32 spoiler, reader: the last instruction (+ 1) that
    did so without its value being computed, and of the loads carried out at once the last that read it; read_by: its block
    (+ 1), MANY for more. version: grows when memory changes.
    """

    def __init__(self, code: Code, image: Image, unknowns: Unknowns, tracked: set[int]) -> None:
        moving = [i for i in code.instructions if i.entry.space in OF_GLOBAL and i.entry.access != Access.NONE]
        self.grain = min((access_bytes(i) for i in moving if i.entry.access != Access.LOAD), default=4)
        self.grain = min(self.grain, 4)
        self.image, self.unknowns, self.tracked = image, unknowns, tracked
        size = image.data.size // self.grain + 16
        self.written = np.zeros(size, bool)
        self.spoiler, self.reader, self.read_by = (np.zeros(size, np.int32) for _ in range(3))
        self.deferred: dict[int, tuple[Deferred | Reading, int]] = {}
        self.next = 1
        self.version = self.stores = 0  # stores: that have not taken place
        self.batch: Batch | None = None
        self.start = 0  # of the stretch that runs
        self.clock_mhz = 1000.0

    def watch(self, ins: Instruction, move: Move, computed: bool) -> Move:
        """`move` of an instruction that accesses global memory: now, or put by. computed: the values are moved."""
        access = ins.entry.access
        waits = ins.index in self.tracked
        puts_by = waits or (computed and access in (Access.STORE, Access.ATOMIC))
        kept = data_operands(ins) if puts_by and access != Access.LOAD else []

        def run(state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
            inside, address = of_global(self.image, ins, state, group, lanes, rows)
            if not inside.any():
                move(state, group, lanes, rows)
                return
            place = self.image.place(address, inside)
            if access in (Access.STORE, Access.ATOMIC):
                self._stores(ins, state, group, place, inside)
            if not puts_by:
                if access in (Access.LOAD, Access.COPY):
                    self._reads(ins, state, group, place, inside)
                move(state, group, lanes, rows)
                if access in (Access.STORE, Access.ATOMIC):
                    self.spoiler[self._pieces(ins, place)[:, inside]] = ins.index + 1
                    for k in range(access_bytes(ins)):
                        self.image.marks[(place + k)[inside]] = SPOILED
                return
            elsewhere = all_lanes(lanes, group) & group.lanes & ~inside
            if elsewhere.any():  # shared or local memory by generic address
                move(state, group, elsewhere, rows)
            self._put_by(ins, move, group, inside, rows, kept, waits)

        return run

    def watch_time(self, ins: Instruction, execute: Execute) -> Execute:
        """`execute` of an instruction that reads a time or place: put by until it issues."""
        lanes_of = runs(ins)

        def run(state: State, group: Group) -> None:
            batch, lanes = self.batch, lanes_of(state, group)
            assert batch is not None
            there = np.arange(len(group.numbers)) if lanes is None else np.flatnonzero(np.broadcast_to(
                lanes & group.lanes, (len(group.numbers), 32)).any(axis=1))  # fmt: skip
            warps = group.numbers[there]
            numbers = np.arange(self.next, self.next + len(warps))
            for number, warp, mask in zip(numbers.tolist(), warps.tolist(), group.mask[there].tolist(), strict=True):
                self.deferred[number] = Reading(ins, execute, batch, warp, mask), 0
            self.next += len(warps)
            executed = batch.log.executed[warps] + (ins.index - self.start)
            batch.made.append((warps, executed, numbers, READS_TIME))
            batch.outstanding[warps] += 1

        return run

    def _read_time(self, one: Reading, moment: Moment) -> tuple[Batch, np.ndarray]:
        """The warp gets the time."""
        state, warps = one.batch.state, np.array([one.warp])
        group = Group(warps, np.array([one.mask], np.uint32), False)
        state.now = at_a_time(moment.cycle, moment.sm, self.clock_mhz)
        one.execute(state, group)
        state.now = {}
        for operand in one.ins.destinations:
            put = writer(operand, labels=True)
            if state.labels is not None and put is not None:
                put(state, group, np.zeros((1, 1), np.uint8), runs(one.ins)(state, group))
        self.version += 1  # a later time is something new
        one.batch.outstanding[warps] -= 1
        return one.batch, warps

    def _pieces(self, ins: Instruction, place: np.ndarray) -> np.ndarray:
        """int64 [K, ...]: pieces of accesses at byte indices `place`."""
        count = max(1, access_bytes(ins) // self.grain)
        return place[None] // self.grain + np.arange(count).reshape(-1, *[1] * place.ndim)

    def _stores(self, ins: Instruction, state: State, group: Group, place: np.ndarray, inside: np.ndarray) -> None:
        """Note what is written. Overtaken for loads of other blocks that have read there at once."""
        at = self._pieces(ins, place)[:, inside]
        self.written[at] = True
        block = np.broadcast_to(state.blocks[state.block_of[group.numbers]][:, None] + 1, inside.shape)[inside]
        other = (self.read_by[at] != 0) & (self.read_by[at] != block[None])
        if other.any():
            raise Overtaken(set((np.unique(self.reader[at[other]]) - 1).tolist()))

    def _reads(self, ins: Instruction, state: State, group: Group, place: np.ndarray, inside: np.ndarray) -> None:
        """Note a read that is carried out at once. Overtaken where the launch has written there."""
        at = self._pieces(ins, place)[:, inside]
        if self.written[at].any():
            raise Overtaken({ins.index})
        block = np.broadcast_to(state.blocks[state.block_of[group.numbers]][:, None] + 1, inside.shape)[inside]
        before = self.read_by[at]
        self.read_by[at] = np.where((before == 0) | (before == block[None]), block[None], MANY)
        self.reader[at] = ins.index + 1

    def _put_by(
        self, ins: Instruction, move: Move, group: Group, inside: np.ndarray, rows: np.ndarray,
        operands: list[Operand], waits: bool,
    ) -> None:  # fmt: skip
        batch = self.batch
        assert batch is not None
        there = np.flatnonzero(inside.any(axis=1))
        warps = group.numbers[there]
        kept = [keep(batch.state, operand, warps) for operand in operands]
        one = Deferred(ins, move, batch, warps, group.mask[there], inside[there], rows[there].copy(), kept, waits)
        numbers = np.arange(self.next, self.next + len(warps))
        self.deferred.update((number, (one, i)) for i, number in enumerate(numbers.tolist()))
        self.next += len(warps)
        executed = batch.log.executed[warps] + (ins.index - self.start)
        batch.made.append((warps, executed, numbers, int(waits)))
        if waits:
            batch.outstanding[warps] += 1
        if ins.entry.access != Access.LOAD:
            self.stores += len(warps)

    def perform(self, numbers: list[int], moments: list[Moment]) -> list[tuple[Batch, np.ndarray]]:
        """These accesses take place, in this order: (batch, warps) that have been given values."""
        served: list[tuple[Batch, np.ndarray] | None] = []
        run: list[tuple[Deferred, int]] = []
        for number, moment in zip(numbers, moments, strict=True):
            one, i = self.deferred.pop(number)
            if isinstance(one, Reading):
                served.append(self._read_time(one, moment))
                continue
            if run and not joins(run, one, i):
                served.append(self._carry_out(run))
                run = []
            run.append((one, i))
        if run:
            served.append(self._carry_out(run))
        return [s for s in served if s is not None]

    def _carry_out(self, run: list[tuple[Deferred, int]]) -> tuple[Batch, np.ndarray] | None:
        """Accesses of several warps by one instruction, which do not meet."""
        first, _ = run[0]
        ins, batch, state = first.ins, first.batch, first.batch.state
        at = np.array([i for _, i in run])
        warps, mask, lanes, rows = (
            np.stack([getattr(one, name)[i] for one, i in run]) for name in ("warps", "mask", "lanes", "rows")
        )
        group = Group(warps, mask, False)
        place = self.image.place(rows[:, 0], lanes)
        self._note_spoiled(ins, place, lanes)
        if ins.entry.access == Access.LOAD:
            first.move(state, group, lanes, rows)
        else:
            before = gather(self.image.data, place, access_bytes(ins), False)
            results = [d.index + k for d in ins.destinations if d is not None and d.kind == "R" for k in range(d.count)]
            held = []
            for k, (name, registers, _, _) in enumerate(first.kept):
                old = np.stack([one.kept[k][2][:, i] for one, i in run], axis=1)
                labels = None
                if state.labels is not None:
                    labels = np.stack([one.kept[k][3][:, i] for one, i in run], axis=1)  # type: ignore[index]
                held.append((name, registers, *exchange(state, name, registers, warps, old, labels)))
            first.move(state, group, lanes, rows)
            for name, registers, now, labels in held:
                stays = np.isin(registers, results, invert=True) if name == "r" else np.ones(len(registers), bool)
                exchange(state, name, registers[stays], warps, now[stays], None if labels is None else labels[stays])
            self.version += bool(((gather(self.image.data, place, access_bytes(ins), False) != before) & lanes).any())
            self.stores -= len(at)
        if not first.waits:
            return None
        self._note_repeats(batch, ins, warps, rows, lanes)
        batch.outstanding[warps] -= 1
        return batch, warps

    def _note_spoiled(self, ins: Instruction, place: np.ndarray, lanes: np.ndarray) -> None:
        """Stores without values that a load or atomic meets."""
        bytes_of = range(access_bytes(ins))
        spoiled = lanes & np.any([self.image.marks[place + k] == SPOILED for k in bytes_of], axis=0)
        if spoiled.any():
            stores = np.unique(self.spoiler[self._pieces(ins, place)[:, spoiled]]) - 1
            self.unknowns.spoilers.setdefault(ins.index, set()).update(s for s in stores.tolist() if s >= 0)

    def _note_repeats(
        self, batch: Batch, ins: Instruction, warps: np.ndarray, rows: np.ndarray, lanes: np.ndarray
    ) -> None:
        """Count how often each warp has read the same places in vain."""
        weights = np.arange(1, 33, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        read = (np.where(lanes, rows[:, 0], 0).astype(np.uint64) * weights).sum(axis=1, dtype=np.uint64)
        same = (
            (batch.last[warps] == ins.index + 1) & (batch.read[warps] == read) & (batch.version[warps] == self.version)
        )
        batch.repeats[warps] = np.where(same, batch.repeats[warps] + 1, 0)
        batch.last[warps], batch.read[warps], batch.version[warps] = ins.index + 1, read, self.version


def joins(run: list[tuple[Deferred, int]], more: Deferred, i: int) -> bool:
    """May an access be carried out together with those before it? Loads of one instruction do not meet."""
    first, _ = run[0]
    alike = more.ins is first.ins and more.batch is first.batch and first.ins.entry.access == Access.LOAD
    return alike and all(int(d.warps[k]) != int(more.warps[i]) for d, k in run)


def data_operands(ins: Instruction) -> list[Operand]:
    """Registers whose values a store or atomic takes to memory."""
    return [s for s in ins.sources if s is not None and s.kind in ("R", "UR") and not s.is_zero]


def keep(state: State, operand: Operand, warps: np.ndarray) -> tuple[str, np.ndarray, np.ndarray, np.ndarray | None]:
    """(register file, numbers, values [n, W, lanes], labels) of an operand's registers now."""
    name, zero = ("r", RZ) if operand.kind == "R" else ("ur", URZ)
    numbers = np.array([k for k in range(operand.index, operand.index + max(1, operand.count)) if k < zero])
    labels = None if state.labels is None else getattr(state.labels, name)[numbers[:, None], warps].copy()
    return name, numbers, getattr(state, name)[numbers[:, None], warps].copy(), labels


def exchange(
    state: State, name: str, numbers: np.ndarray, warps: np.ndarray, values: np.ndarray, labels: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray | None]:
    """Put values into registers; those that were there."""
    file, at = getattr(state, name), (numbers[:, None], warps)
    now, before = file[at].copy(), None
    file[at] = values
    if state.labels is not None and labels is not None:
        marks = getattr(state.labels, name)
        before = marks[at].copy()
        marks[at] = labels
    return now, before
