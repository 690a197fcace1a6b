"""Loops that read global memory until another block has written there: flags, locks, semaphores, barriers of a grid.

A warp that comes back to the same place with the same registers (those that control hangs on), having changed
nothing, will do so for ever, unless memory changes that it read on the way. It is set aside until that has been
stored to, and the pass is left out of its stream: the pass that counts is the one that goes on. How many there are on
a GPU hangs on the timing.

A block may poll together: one warp reads, and all meet at a barrier and go round. The barrier's passes are then left
out of all its warps, when each came to the barrier again as it was.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.opcodes import Access, Control, Space
from ssmsim.tracers.emulated import divergence
from ssmsim.tracers.emulated.log import Log
from ssmsim.tracers.emulated.operand_values import Group
from ssmsim.tracers.emulated.order import OF_GLOBAL, Order
from ssmsim.tracers.emulated.resources import UP, UR, P
from ssmsim.tracers.emulated.slice import Slice
from ssmsim.tracers.emulated.state import State, unpack
from ssmsim.tracers.emulated.trial import Trial

AT_POLL = 5  # divergence's status of a warp that is set aside here
MOST_TRIALS = 1 << 14
ALL_LANES = 0xFFFFFFFF
GENERAL, UNIFORM, PREDICATES = 255, 63, 7  # registers of each file that hold something


class _Place:
    """The warps' state when each was last at the beginning of one stretch.

    executed, rows int64[G]: counts of the log then, -1 before the first time. effects, barriers int64[G]: of the warp.
    again bool[G]: that time the warp was as the time before, which lies at since (executed) and since_rows.
    """

    def __init__(self, live: int, state: State, barriers: list[int]) -> None:
        """live: resources that control hangs on (slice.Slice.live). barriers: convergence barriers that the code uses."""
        self.files = [
            (state.r, [k for k in range(GENERAL) if live >> 2 * k & 3]),
            (state.ur, [k for k in range(UNIFORM) if live >> UR + k & 1]),
            (state.p, [k for k in range(PREDICATES) if live >> P + k & 1]),
            (state.up, [k for k in range(PREDICATES) if live >> UP + k & 1]),
        ]
        self.names = ("r", "ur", "p", "up")
        self.kept = [file[numbers].copy() for file, numbers in self.files]
        self.numbers = [np.array(numbers, np.int64) for _, numbers in self.files]
        del self.files
        warps = state.warps
        self.mask, self.effects, self.barriers, self.rows, self.since, self.since_rows = np.zeros((6, warps), np.int64)
        self.executed = np.full(warps, -1, np.int64)
        self.again = np.zeros(warps, bool)
        self.parked = np.zeros((3, *state.paths.parked_pc.shape), np.int64)
        self.used, shape = np.array(barriers, np.int64), state.paths.barrier.shape
        self.convergence = np.zeros((len(barriers), *shape[1:]), np.int64)
        self.count = np.zeros(warps, np.int64)
        self.rest = np.zeros(warps, np.uint64)
        draw = np.random.default_rng(0)
        self.weights = [draw.integers(1 << 62, size=(*file.shape[:1], 1, file.shape[2]), dtype=np.uint64) | np.uint64(1)
                        for file in (state.r, state.ur, state.p, state.up)]  # fmt: skip

    def others(self, state: State, group: Group) -> np.ndarray:
        """uint64[W]: checksum of all registers of lanes that are parked, and of uniform ones, in warps that have any:
        what is live at their place is not looked up.
        """
        found, n, paths = np.zeros(len(group.numbers), np.uint64), group.numbers, state.paths
        apart = np.flatnonzero(paths.parked[n])
        if apart.size:
            n = n[apart]
            lanes = unpack((~(paths.mask[n] | paths.exited[n]) & ALL_LANES).astype(np.uint32))
            for name, weight in zip(self.names, self.weights, strict=True):
                file = getattr(state, name)[:, n].astype(np.uint64) * weight
                found[apart] += (np.where(lanes, file, 0) if file.shape[2] > 1 else file).sum(
                    axis=(0, 2), dtype=np.uint64
                )
        return found

    def widen(self, warps: int) -> None:
        """Room for that many warps more."""
        for k, kept in enumerate(self.kept):
            self.kept[k] = np.concatenate([kept, np.zeros((len(kept), warps, kept.shape[2]), kept.dtype)], axis=1)
        for name in ("parked", "convergence"):
            old = getattr(self, name)
            more = np.zeros((len(old), warps, old.shape[2]), np.int64)
            setattr(self, name, np.concatenate([old, more], axis=1))
        for name in ("mask", "effects", "barriers", "rows", "since", "since_rows", "again", "count", "rest"):
            old = getattr(self, name)
            setattr(self, name, np.concatenate([old, np.zeros(warps, old.dtype)]))
        self.executed = np.concatenate([self.executed, np.full(warps, -1, np.int64)])

    def equal(self, state: State, group: Group, effects: np.ndarray) -> np.ndarray:
        """bool[W]: is each warp as it was here last, without having had an effect since?"""
        n, paths = group.numbers, state.paths
        same = (self.executed[n] >= 0) & (self.mask[n] == group.mask) & (self.effects[n] == effects[n])
        same &= self.count[n] == paths.parked[n]
        if same.any():
            same &= self.rest[n] == self.others(state, group)
        for name, kept, numbers in zip(self.names, self.kept, self.numbers, strict=True):
            for k, number in enumerate(numbers):
                if not same.any():
                    return same
                same &= ((kept[k, n] == getattr(state, name)[number, n]) | ~self._lanes(kept, group)).all(axis=1)
        most = int(paths.parked[n].max(initial=0))
        for k, parked in enumerate((paths.parked_pc, paths.parked_mask, paths.parked_for)):
            used = np.arange(most) < paths.parked[n][:, None]
            same &= ((self.parked[k, n, :most] == parked[n, :most]) | ~used).all(axis=1)
        if same.any() and self.used.size:
            same &= (self.convergence[:, n] == paths.barrier[self.used[:, None], n]).all(axis=(0, 2))
        return same

    @staticmethod
    def _lanes(kept: np.ndarray, group: Group) -> np.ndarray:
        return group.lanes if kept.shape[2] > 1 else np.ones((1, 1), bool)

    def keep(self, state: State, group: Group, effects: np.ndarray, barriers: np.ndarray, log: Log) -> None:
        """This is how the warps are here now."""
        n, paths = group.numbers, state.paths
        for name, kept, numbers in zip(self.names, self.kept, self.numbers, strict=True):
            kept[:, n] = getattr(state, name)[numbers[:, None], n]
        for k, parked in enumerate((paths.parked_pc, paths.parked_mask, paths.parked_for)):
            most = int(paths.parked[n].max(initial=0))
            self.parked[k, n, :most] = parked[n, :most]
        if self.used.size:
            self.convergence[:, n] = paths.barrier[self.used[:, None], n]
        self.count[n], self.mask[n] = paths.parked[n], group.mask
        self.rest[n] = self.others(state, group)
        self.effects[n], self.barriers[n] = effects[n], barriers[n]
        self.executed[n], self.rows[n] = log.executed[n], log.rows[n]


class Polls:
    """Of one wave of blocks: who is set aside and why, and what is left out of the streams (log.py)."""

    def __init__(self, order: Order, part: Slice, instructions: Sequence[Instruction], state: State, log: Log) -> None:
        self.order, self.part, self.instructions, self.state, self.log = order, part, instructions, state, log
        self.places: dict[tuple[int, bool], _Place] = {}
        self.barriers = np.zeros(state.warps, np.int64)
        operands = [o for i in instructions for o in (*i.sources, *i.destinations)]
        self.convergence = sorted({o.index for o in operands if o is not None and o.kind == "bar"})
        self.last_barrier = np.full(state.warps, -1, np.int64)
        self.whole = np.full(
            state.warps, -1, np.int64
        )  # instructions executed when all lanes of a warp ran together last
        self.asleep: dict[
            int, list[tuple[np.ndarray, np.ndarray]]
        ] = {}  # by warp: pieces that it read, their stores then
        self.reading = False  # the stretch that is about to run was met by `meet`
        self.trials: list[Trial] = []
        self.chances: dict[int, int] = {}  # by warp: stores there were when it was last given another try
        self.takes: dict[int, int] = {}  # by warp that polls with an atomic: the piece that it is on
        self.open: dict[
            int, tuple[int, int, int]
        ] = {}  # by warp: first instruction and row of its pass, barriers in it

    def widen(self, warps: int) -> None:
        """Blocks with that many warps have joined the wave."""
        for place in self.places.values():
            place.widen(warps)
        self.barriers = np.concatenate([self.barriers, np.zeros(warps, np.int64)])
        self.last_barrier, self.whole = (
            np.concatenate([a, np.full(warps, -1, np.int64)]) for a in (self.last_barrier, self.whole)
        )

    def _place(self, start: int, barrier: bool) -> _Place:
        found = self.places.get((start, barrier))
        if found is None:
            found = self.places[start, barrier] = _Place(self.part.live[start], self.state, self.convergence)
        return found

    def note_whole(self, group: Group) -> None:
        """A stretch is about to run: in which warps with all lanes that are left?"""
        n = (
            group.numbers
            if group.full
            else group.numbers[group.mask | self.state.paths.exited[group.numbers] == ALL_LANES]
        )
        self.whole[n] = self.log.executed[n]

    def meet(self, group: Group, start: int) -> Group | None:
        """Warps come to a stretch that reads global memory in a loop: those that go on (None: nobody)."""
        place, state, effects = self._place(start, False), self.state, self.order.effects
        again = place.equal(state, group, effects)
        stays, once = np.zeros(len(group.numbers), bool), place.executed[group.numbers].copy()
        for i in np.flatnonzero(again):
            stays[i] = self._repeats(place, int(group.numbers[i]))
        place.keep(state, group, effects, self.barriers, self.log)
        if not stays.any():
            return group
        aside = group.numbers[stays]
        together = self.whole[aside] >= once[stays]  # all its lanes went round: no path of it has been left behind
        state.paths.status[aside[together]] = AT_POLL
        aside = aside[~together]
        divergence.set_aside(state.paths.arrays, aside, state.waits.waited)
        waiting = aside[state.paths.status[aside] == divergence.AT_MBARRIER]
        state.paths.status[waiting] = AT_POLL
        return Group(group.numbers[~stays], group.mask[~stays], False) if not stays.all() else None

    def _repeats(self, place: _Place, w: int) -> bool:
        """A warp's pass has changed nothing: it is left out. Does the warp have to wait before the next?"""
        reads = [r for r in self.order.reads.values() if r.at[w] >= place.executed[w]]
        found = [(r.piece[:, w][r.event[:, w] >= 0], r.event[:, w][r.event[:, w] >= 0]) for r in reads]
        if not any(at.size for at, _ in found):
            return False
        barriers = int(self.barriers[w] - place.barriers[w])
        span = int(place.executed[w]), int(place.rows[w]), barriers
        for r in reads:
            r.open[w], r.repeated[w] = False, True
        if not barriers:
            self._leave_out(w, *span[:2], int(self.log.executed[w]), int(self.log.rows[w]))
            if any((self.order.event[at] != event).any() for at, event in found):
                return False
        else:
            self.open[w] = span
        self.asleep.setdefault(w, []).extend(found)
        if any(r.ins.entry.access == Access.ATOMIC for r in reads):
            self.takes[w] = next(int(at[0]) for at, _ in found if at.size)
        return True

    def _leave_out(self, w: int, first: int, first_row: int, last: int, last_row: int) -> None:
        self.log.left_out.append((w, first, last, first_row, last_row))
        self.order.cut[w] += last - first

    def meet_barrier(self, group: Group, start: int) -> None:
        """Warps come to a stretch that ends at a barrier, in a loop that reads global memory."""
        place, n = self._place(start, True), group.numbers
        place.again[n] = place.equal(self.state, group, self.order.effects)
        place.since[n], place.since_rows[n] = place.executed[n], place.rows[n]
        place.keep(self.state, group, self.order.effects, self.barriers, self.log)
        self.last_barrier[n] = start
        self.barriers[n] += 1

    def find_trial(self, load: Instruction, warp: int, places: np.ndarray) -> bool:
        """Take a warp's read in a loop down to be tried when the wave has ended (trials.py); False when it is in
        none."""
        start, state = self.order.start, self.state
        place = self.places.get((start, False))
        if not self.reading or place is None or len(self.trials) > MOST_TRIALS:
            return False
        files = [(n, numbers.tolist(), kept[:, warp].copy()) for n, numbers, kept in
                 zip(place.names, place.numbers, place.kept, strict=True)]  # fmt: skip
        used = int(place.count[warp])
        parked = tuple(place.parked[k, warp, :used].copy() for k in range(3))
        self.trials.append(Trial(
            load.index, start, int(state.blocks[state.block_of[warp]]), int(state.warp_of[warp]), int(place.mask[warp]),
            files, (parked[0], parked[1], parked[2]), self.state.paths.barrier[:, warp].copy(), places,
        ))  # fmt: skip
        return True

    def wake(self) -> bool:
        """Where nothing goes on: let those look again that read what has been stored to since. False when nobody
        did."""
        status = self.state.paths.status
        going = [w for w, found in self.asleep.items() if any((self.order.event[p] != e).any() for p, e in found)]
        first: dict[int, int] = {}  # of those that try an atomic on one word: the others would find it taken
        for w in sorted(going):
            first.setdefault(self.takes.get(w, -1 - w), w)
        going = list(first.values())
        for block in sorted({int(self.state.block_of[w]) for w in going}):
            self._settle_block(block)
        woken = False
        for w in going or self._others():
            del self.asleep[w]
            self.takes.pop(w, None)
            self.state.waits.waited[w] = 0
            if status[w] == AT_POLL:
                status[w] = divergence.RUNNING
                woken = True
        return woken

    def _others(self) -> list[int]:
        """Warps that wait although another path of theirs may be ready: once for each store of anybody."""
        waiting = [w for w in self.asleep if self.state.paths.parked[w] and self.chances.get(w) != self.order.count]
        self.chances.update(dict.fromkeys(waiting, self.order.count))
        return waiting

    def _settle_block(self, block: int) -> None:
        """Leave out the passes of a block that polled together, if all its warps are where they were a pass before."""
        warps = np.flatnonzero(self.state.block_of == block)
        status = self.state.paths.status
        warps = warps[status[warps] != divergence.DONE]
        opened = [w for w in warps.tolist() if w in self.open]
        if not opened:
            return
        spans = []
        for w in warps.tolist():
            if w in self.open and status[w] == AT_POLL and self.open[w][2] == 1:
                spans.append((w, *self.open[w][:2]))
                continue
            place = self.places.get((int(self.last_barrier[w]), True))
            if w in self.open or place is None or status[w] != divergence.AT_BARRIER or not place.again[w]:
                spans = []
                break
            spans.append((w, int(place.since[w]), int(place.since_rows[w])))
        for w, first, row in spans:
            if w in self.open:
                self._leave_out(w, first, row, int(self.log.executed[w]), int(self.log.rows[w]))
                continue
            place = self.places[int(self.last_barrier[w]), True]
            self._leave_out(w, first, row, int(place.executed[w]), int(place.rows[w]))
            place.again[w] = False
        for w in opened:
            del self.open[w]

    def deadlock(self, resident: int) -> SsmsimError | None:
        """Who waits for whom, where nothing can go on any more; None when nobody polls."""
        waiting = [w for w in self.asleep if self.state.paths.status[w] == AT_POLL]
        if not waiting:
            return None
        w, image = waiting[0], self.order.image
        piece, event = next((p, e) for p, e in self.asleep[w] if p.size)
        place = int(piece[0]) * self.order.grain
        k = int(image.region_of_place(np.array([place]))[0])
        address = place - int(image.places[k]) + int(image.starts[k])
        blocks = sorted({int(self.state.blocks[self.state.block_of[v]]) for v in waiting})
        last = self.order.events[int(event[0])]
        writer = f"block {last[0]} stored there last, at {self.instructions[last[3]].place}" if event[0] else (
            "no block has stored there")  # fmt: skip
        block, warp = int(self.state.blocks[self.state.block_of[w]]), int(self.state.warp_of[w])
        names = ", ".join(map(str, blocks[:8])) + (", .." if len(blocks) > 8 else "")
        return SsmsimError(
            f"deadlock: warp {warp} of block {block} polls {address:#x} in {image.names[k]} for ever ({writer}); blocks "
            f"that poll: {names}, of {resident} that are resident together",
            self.instructions[int(self.state.paths.pc[w])].where, "no block that runs or may start writes there",
        )  # fmt: skip


def innermost_loops(instructions: Sequence[Instruction]) -> list[tuple[int, int]]:
    """Per instruction the shortest stretch of code (first, last) that a branch back encloses it in, (-1, -1)
    without."""
    found = [(-1, -1)] * len(instructions)
    loops = sorted(((i.target, i.index) for i in instructions if 0 <= i.target <= i.index), key=lambda x: x[0] - x[1])
    for first, last in loops:  # the longest first
        found[first : last + 1] = [(first, last)] * (last + 1 - first)
    return found


def polling(instructions: Sequence[Instruction], part: Slice) -> list[bool]:
    """Per instruction: does it lie in a loop that, itself, reads global memory whose values are wanted?"""
    loops = innermost_loops(instructions)
    reads = {
        loops[i.index] for i in instructions
        if part.computes[i.index] and i.entry.space in OF_GLOBAL and i.entry.access in (Access.LOAD, Access.ATOMIC)
    }  # fmt: skip
    return [loop in reads and loop != (-1, -1) for loop in loops]


def has_effect(ins: Instruction, computed: bool) -> bool:
    """May it change what others see, or read what polls do not watch? Accesses to global memory tell when they are
    made."""
    if ins.entry.control == Control.BMOV or ins.base.startswith(("UCGABAR", "CS2R")):
        return True
    if ins.entry.space in OF_GLOBAL and ins.entry.access in (Access.LOAD, Access.STORE, Access.ATOMIC):
        return False
    if ins.entry.access == Access.LOAD:
        return computed and ins.entry.space != Space.CONSTANT
    return ins.entry.access != Access.NONE
