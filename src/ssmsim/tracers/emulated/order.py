"""Global memory of a launch whose control hangs on what its own blocks write there, in one canonical order.

Beside each piece of memory stands the store that wrote it last: its block, warp, place in the warp's stream, and
instruction. So a load says which store it had its value of, and whether another block's timing could give another one.

A value does not hang on timing when its piece is written once in the whole launch, and the load has been seen to repeat
until then. All else that passes between blocks is taken to hang on timing: atomics on one word, pieces written more
than once, loads that found the value at once, and loads that came before another block's store.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.decode import Code
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.opcodes import Access, Space
from ssmsim.sass.records import access_bytes
from ssmsim.trace.types import SHARED_WINDOW, WINDOW_BYTES
from ssmsim.tracers.emulated.address_space import Image, gather
from ssmsim.tracers.emulated.hardware import local_window
from ssmsim.tracers.emulated.lane_bytes import all_lanes
from ssmsim.tracers.emulated.log import Log
from ssmsim.tracers.emulated.operand_values import Group, packed
from ssmsim.tracers.emulated.state import State
from ssmsim.tracers.emulated.unknown import KNOWN, SPOILED, Unknowns

OF_GLOBAL = (Space.GLOBAL, Space.GENERIC, Space.GLOBAL_TO_SHARED)
MANY = -1  # blocks
Execute = Callable[[State, Group], None]
FindTrial = Callable[[Instruction, int, np.ndarray], bool]
Move = Callable[[State, Group, np.ndarray | None, np.ndarray], None]


class Watcher(Protocol):
    """Stands between the warps and global memory (run.Plan.keep_order)."""

    def watch(self, ins: Instruction, move: Move, computed: bool) -> Move:
        """`move` of an instruction that accesses global memory, watched. computed: the values are moved."""
        ...

    def watch_time(self, ins: Instruction, execute: Execute) -> Execute | None:
        """`execute` of an instruction that reads the clock or the number of its SM, watched; None: it is not."""
        ...


def of_global(
    image: Image, ins: Instruction, state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(lanes that touch global memory, their addresses), [W, 32]; SsmsimError for addresses outside every buffer."""
    address, inside = rows[:, -1] if ins.entry.access == Access.COPY else rows[:, 0], all_lanes(lanes, group)
    if ins.entry.access == Access.COPY:
        inside = inside & (address >= 0)
    if ins.entry.space == Space.GENERIC:
        inside = inside & ((address < SHARED_WINDOW) | (address >= local_window(state.launch) + WINDOW_BYTES))
        image.check(address, packed(inside, group), access_bytes(ins), ins)
    return inside, address


class Reads:
    """What one load read last, warp by warp of the running wave.

    piece, event int64 [K, G, 32]: pieces of memory, and the store of each by then (-1 in lanes that read nothing). at
    int64[G]: instructions that the warp had executed, -1 before its first. open bool[G]: not yet settled
    (Order.settle). repeated bool[G]: the read belongs to a pass of a loop that was left out (polls.py).
    """

    def __init__(self, ins: Instruction, pieces: int, warps: int) -> None:
        self.ins = ins
        self.piece = np.zeros((pieces, warps, 32), np.int64)
        self.event = np.full((pieces, warps, 32), -1, np.int64)
        self.at = np.full(warps, -1, np.int64)
        self.open, self.repeated = np.zeros(warps, bool), np.zeros(warps, bool)

    def widen(self, warps: int) -> None:
        """Room for that many warps more."""
        other = Reads(self.ins, len(self.piece), warps)
        for name in ("piece", "event"):
            setattr(self, name, np.concatenate([getattr(self, name), getattr(other, name)], axis=1))
        for name in ("at", "open", "repeated"):
            setattr(self, name, np.concatenate([getattr(self, name), getattr(other, name)]))


class Order:
    """Who wrote each piece of global memory last, and who read it, over all blocks of a launch.

    events int64 [count, 4]: (block, warp, executed instruction, static instruction) of each warp's stores. event: per
    piece the row of its last one, 0 for none. writes: per piece how often it was written. reader, read_by: per piece
    the block that read it (+ 1, MANY for more), and the loads that did (an index into `sets`). awaited: of the
    running wave, rows of BlockTrace.awaited with the loading warp's place in the wave and all that it had executed.
    timing: loads whose values may hang on timing. before, saved: bytes as they were before the first store, and
    whether they were known then. mute: nothing is noted. find_trial: function (load, warp, bytes) that takes a read
    down to be tried (trials.py); False when it cannot.
    """

    def __init__(self, code: Code, image: Image, unknowns: Unknowns) -> None:
        moving = [i for i in code.instructions if i.entry.space in OF_GLOBAL and i.entry.access != Access.NONE]
        self.grain = min((access_bytes(i) for i in moving if i.entry.access != Access.LOAD), default=4)
        self.grain = min(self.grain, 4)
        self.code, self.image, self.unknowns = code, image, unknowns
        size = image.data.size // self.grain + 16
        try:
            self.event, self.writes, self.reader, self.read_by = (np.zeros(size, np.int32) for _ in range(4))
            self.before, self.saved = np.zeros(image.data.size, np.uint8), np.zeros(image.data.size, bool)
        except MemoryError:
            what = f"its blocks wait for each other, and books over {image.data.size} bytes do not fit into memory"
            raise SsmsimError(what, code.kernel.name, "give smaller buffers") from None
        self.events = np.zeros((1024, 4), np.int64)
        self.count = 1
        self.sets: list[frozenset[int]] = [frozenset()]
        self.reads: dict[int, Reads] = {}
        self.awaited: list[np.ndarray] = []
        self.timing: set[int] = set()
        self.once: dict[int, list[np.ndarray]] = {}  # per load, pieces that must never be written again
        self.mute = False
        self.start, self.log = 0, Log(0)
        self.find_trial: FindTrial = lambda load, warp, places: False
        self.effects = self.cut = np.zeros(0, np.int64)

    def open(self, state: State, log: Log) -> None:
        """A new wave of blocks begins."""
        self.log, self.reads, self.awaited = log, {}, []
        self.effects, self.cut = np.zeros(state.warps, np.int64), np.zeros(state.warps, np.int64)

    def widen(self, warps: int) -> None:
        """Blocks with that many warps have joined the wave."""
        none = np.zeros(warps, np.int64)
        self.effects, self.cut = np.concatenate([self.effects, none]), np.concatenate([self.cut, none])
        for reads in self.reads.values():
            reads.widen(warps)

    def numbers(self, ins: Instruction, warps: np.ndarray) -> np.ndarray:
        """int64: place of `ins`, which is about to be carried out, in the warps' streams."""
        return np.asarray(self.log.executed[warps] + (ins.index - self.start) - self.cut[warps])

    def watch(self, ins: Instruction, move: Move, computed: bool) -> Move:
        """`move` of an instruction that accesses global memory, kept in these books. computed: the values are moved."""
        access = ins.entry.access

        def run(state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
            if self.mute:
                move(state, group, lanes, rows)
                return
            inside, address = of_global(self.image, ins, state, group, lanes, rows)
            elsewhere = (all_lanes(lanes, group) & group.lanes & ~inside).any(axis=1)
            self.effects[group.numbers[elsewhere]] += 1
            if not inside.any():
                move(state, group, lanes, rows)
                return
            place = self.image.place(address, inside)
            if access in (Access.LOAD, Access.COPY):
                self._load(ins, state, group, place, inside)
                move(state, group, lanes, rows)
            elif access == Access.ATOMIC and computed:
                self._atomic(ins, move, state, group, lanes, rows, place, inside)
            else:
                self._save(ins, place, inside)
                move(state, group, lanes, rows)
                if not computed:
                    for k in range(access_bytes(ins)):
                        self.image.marks[(place + k)[inside]] = SPOILED
                self._store(ins, state, group, self._pieces(ins, place), inside)

        return run

    def watch_time(self, ins: Instruction, execute: Execute) -> Execute | None:
        """No order of blocks says what time it is."""
        return None

    def _pieces(self, ins: Instruction, place: np.ndarray) -> np.ndarray:
        """int64 [K, W, 32]: pieces of an access at byte indices `place`."""
        count = max(1, access_bytes(ins) // self.grain)
        return place[None] // self.grain + np.arange(count)[:, None, None]

    def _save(self, ins: Instruction, place: np.ndarray, inside: np.ndarray) -> None:
        """Keep the bytes that a first store is about to change."""
        first = place[inside & (self.writes[place // self.grain] == 0)]
        for k in range(access_bytes(ins)):
            self.before[first + k] = self.image.data[first + k]
            self.saved[first + k] = self.image.marks[first + k] == KNOWN

    def _store(self, ins: Instruction, state: State, group: Group, piece: np.ndarray, inside: np.ndarray) -> None:
        """Note a store of each warp that has lanes inside."""
        there = np.flatnonzero(inside.any(axis=1))
        warps, first = group.numbers[there], self.count
        self.count += len(there)
        if self.count > len(self.events):
            self.events = np.concatenate([self.events, np.zeros((max(self.count, len(self.events)), 4), np.int64)])
        block = state.blocks[state.block_of[warps]]
        self.events[first : self.count] = np.stack(
            [block, state.warp_of[warps], self.numbers(ins, warps), np.full(len(there), ins.index)], axis=1
        )
        chosen, lanes = piece[:, there], np.broadcast_to(inside[there], piece[:, there].shape)
        mine = np.broadcast_to(np.arange(first, self.count)[:, None], lanes.shape[1:])
        owner = np.broadcast_to(block[:, None] + 1, lanes.shape[1:])
        for k in range(len(piece)):
            at = chosen[k][lanes[k]]
            seen = self.reader[at]
            raced = (seen != 0) & (seen != owner[lanes[k]])
            if raced.any():
                self.timing.update(*(self.sets[i] for i in np.unique(self.read_by[at[raced]]).tolist()))
            self.event[at] = mine[lanes[k]]
            np.add.at(self.writes, at, 1)
        self.effects[warps] += 1
        state.waits.waited[warps] = 0

    def _load(self, ins: Instruction, state: State, group: Group, place: np.ndarray, inside: np.ndarray) -> None:
        """Note a load whose value is wanted, before it is carried out."""
        piece = self._pieces(ins, place)
        event = np.where(inside[None], self.event[piece], -1)
        reads = self._reads(ins, piece, state)
        warps = group.numbers
        again = reads.repeated[warps] & ((reads.piece[:, warps] == piece) | (event < 0)).all(axis=(0, 2))
        self._found(ins, state, warps, piece, event, again)
        spoiled = inside & (self.image.marks[place] == SPOILED)
        if spoiled.any():
            found = self.unknowns.spoilers.setdefault(ins.index, set())
            found.update(self._stores_of(event[:, spoiled]))
        self._keep(state, reads, warps, piece, event)

    def _stores_of(self, event: np.ndarray) -> set[int]:
        """The instructions of some rows of `events`; 0 is none: a copy stored there."""
        return set(np.unique(self.events[event[event > 0], 3]).tolist())

    def _reads(self, ins: Instruction, piece: np.ndarray, state: State) -> Reads:
        found = self.reads.get(ins.index)
        if found is None:
            found = self.reads[ins.index] = Reads(ins, len(piece), state.warps)
        return found

    def _keep(self, state: State, reads: Reads, warps: np.ndarray, piece: np.ndarray, event: np.ndarray) -> None:
        """Put a read in the place of the warps' last ones by the same load, which are settled."""
        self.settle(state, reads, warps)
        reads.piece[:, warps], reads.event[:, warps] = piece, event
        reads.at[warps] = self.log.executed[warps]
        reads.open[warps], reads.repeated[warps] = True, False

    def _found(
        self, ins: Instruction, state: State, warps: np.ndarray, piece: np.ndarray, event: np.ndarray,
        again: np.ndarray | None,
    ) -> None:  # fmt: skip
        """The stores of other blocks that a read has its value of. again: warps that have seen it repeat before; None
        for an atomic.
        """
        block = state.blocks[state.block_of[warps]]
        other = (event > 0) & (self.events[np.maximum(event, 0), 0] != block[None, :, None])
        if not other.any():
            return
        _, warp, _ = np.nonzero(other)
        pairs = np.unique(np.stack([event[other], warp], axis=1), axis=0)
        raw = self.log.executed[warps] + (ins.index - self.start)
        needs = np.stack([block, state.warp_of[warps], self.numbers(ins, warps), warps, raw], axis=1)
        self.awaited.append(np.concatenate([self.events[pairs[:, 0], :3], needs[pairs[:, 1]]], axis=1))
        if again is None:
            if any(ins.wants):
                self.timing.add(ins.index)
            return
        for i in np.flatnonzero(other.any(axis=(0, 2))).tolist():
            if ins.index in self.timing or not self._certain(
                ins, warps[i], piece[:, i], event[:, i], other[:, i], again[i]
            ):
                self.timing.add(ins.index)
                return

    def _certain(
        self, ins: Instruction, warp: int, piece: np.ndarray, event: np.ndarray, other: np.ndarray, again: bool
    ) -> bool:
        """May a warp's read have found its value in any order, as far as is known now? piece, event, other: [K, 32].

        It must be that of one store, wide enough, to one word that is written once, and the warp must have waited for
        it (again), or be shown to do so later.
        """
        lanes = other.any(axis=0)
        stores, words = np.unique(event[:, lanes]), np.unique(piece[:, lanes])
        if len(stores) > 1 or len(words) > len(piece) or (self.writes[words] > 1).any():
            return False
        if access_bytes(self.code.instructions[int(self.events[stores[0], 3])]) < access_bytes(ins):
            return False
        first = int(words[0]) * self.grain
        if not again and not self.find_trial(ins, int(warp), np.arange(first, first + access_bytes(ins))):
            return False
        self.once.setdefault(ins.index, []).append(words)
        return True

    def _atomic(
        self, ins: Instruction, move: Move, state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray,
        place: np.ndarray, inside: np.ndarray,
    ) -> None:  # fmt: skip
        """Carry an atomic out; warps that meet at one place take their turns one by one."""
        piece = self._pieces(ins, place)
        here, warp = piece[0][inside], np.nonzero(inside)[0]
        pairs = np.unique(np.stack([here, warp], axis=1), axis=0)
        meet = len(np.unique(pairs[:, 0])) < len(pairs)
        turns = [np.array([i]) for i in range(len(group.numbers))] if meet else [np.arange(len(group.numbers))]
        for turn in turns:
            part = Group(group.numbers[turn], group.mask[turn], False)
            chosen = None if lanes is None else lanes[turn]
            self._turn(ins, move, state, part, (chosen, rows[turn]), (place[turn], inside[turn]))

    def _turn(
        self, ins: Instruction, move: Move, state: State, group: Group, access: tuple[np.ndarray | None, np.ndarray],
        where: tuple[np.ndarray, np.ndarray],
    ) -> None:  # fmt: skip
        place, inside = where
        piece, warps = self._pieces(ins, place), group.numbers
        event = np.where(inside[None], self.event[piece], -1)
        self._found(ins, state, warps, piece, event, None)
        before = gather(self.image.data, place, access_bytes(ins), False)
        spoiled = inside & (self.image.marks[place] == SPOILED)
        if spoiled.any():
            found = self.unknowns.spoilers.setdefault(ins.index, set())
            found.update(self._stores_of(event[:, spoiled]))
        self._save(ins, place, inside)
        move(state, group, *access)
        changed = (gather(self.image.data, place, access_bytes(ins), False) != before).any(axis=0) & inside
        changed |= inside & (self.image.marks[place] > SPOILED)
        if changed.any():
            self._store(ins, state, group, piece, changed)
        if any(ins.wants):
            now = np.where(inside[None], self.event[piece], -1)
            self._keep(state, self._reads(ins, piece, state), warps, piece, now)

    def settle(self, state: State, reads: Reads, warps: np.ndarray) -> None:
        """Enter reads as done: stores by other blocks since, or from now on, make their values hang on timing."""
        warps = warps[reads.open[warps]]
        if not warps.size:
            return
        event, piece = reads.event[:, warps], reads.piece[:, warps]
        read, now = event >= 0, self.event[piece]
        block = np.broadcast_to(state.blocks[state.block_of[warps]][None, :, None], read.shape)
        if (read & (now != event) & (self.events[now, 0] != block)).any():
            self.timing.add(reads.ins.index)
        at, owner = piece[read], block[read] + 1
        self.reader[at] = np.where((self.reader[at] == 0) | (self.reader[at] == owner), owner, MANY)
        self.reader[at[self.reader[at] != owner]] = MANY
        for number in np.unique(self.read_by[at]).tolist():
            self.read_by[at[self.read_by[at] == number]] = self._set_of(self.sets[number] | {reads.ins.index})
        reads.open[warps] = False

    def _set_of(self, loads: frozenset[int]) -> int:
        if loads not in self.sets:
            self.sets.append(loads)
        return self.sets.index(loads)

    def close(self, state: State) -> np.ndarray:
        """The wave has ended: its rows of BlockTrace.awaited."""
        for reads in self.reads.values():
            self.settle(state, reads, np.arange(state.warps))
        self.reads = {}
        for load in [k for k, found in self.once.items() if any((self.writes[at] > 1).any() for at in found)]:
            self.timing.add(load)
            del self.once[load]
        rows = np.concatenate([*self.awaited, np.empty((0, 8), np.int64)])
        return np.unique(rows[~self.log.is_left_out(rows[:, 6], rows[:, 7]), :6], axis=0)
