"""A launch whose control hangs on the order of accesses to memory, emulated hand in hand with an engine that times them.

Blocks begin when the engine asks for them, and run to the first values that memory does not hold yet: a ticket, a flag, a
lock, the state of the block before, the clock. The engine says when each such access, and each store that one of them may find,
takes place; the warp's stream goes on from there. Loops that poll are in the streams as often as they go round. The same
times give the same streams to the bit.

What cannot be known beforehand (stores whose values count, loads that meet what the launch writes) is found on the way;
the launch then begins again from the contents that it was captured with (StartAgain).
"""

from __future__ import annotations

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.sass.decode import Code
from ssmsim.trace.types import Pieces, StartAgain
from ssmsim.tracers.emulated import divergence
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.followed_stores import FollowedStores
from ssmsim.tracers.emulated.log import Log
from ssmsim.tracers.emulated.operand_values import Group
from ssmsim.tracers.emulated.pending_accesses import (
    Batch,
    Moment,
    Overtaken,
    PendingAccesses,
    first_uses,
    tracked_at_first,
)
from ssmsim.tracers.emulated.polls import AT_POLL
from ssmsim.tracers.emulated.run import Plan, Stretch, Wave, check_end, open_state, run_warps
from ssmsim.tracers.emulated.unknown import StoresWanted

IN_VAIN = 2000  # reads in a row that find nothing new, by every warp that could do anything, before it is a deadlock


class PendingWave(Wave):
    """Sets warps aside that wait for values."""

    def __init__(self, pending: PendingAccesses, batch: Batch) -> None:
        self.pending, self.batch = pending, batch

    def meet(self, stretch: Stretch, group: Group) -> Group | None:
        self.pending.start = stretch.start
        waits = self.batch.outstanding[group.numbers] > 0
        if not waits.any():
            return group
        self.batch.state.paths.status[group.numbers[waits]] = AT_POLL
        return Group(group.numbers[~waits], group.mask[~waits], False) if not waits.all() else None

    def ends(self) -> bool:
        """A try at an mbarrier ends only where no warp waits for a value: what comes then may complete the phase."""
        return bool(self.batch.outstanding.any())


class ExecutionDriven:
    """See ssmsim.trace.types.ExecutionDriven."""

    def __init__(self, code: Code, launch: Launch, everything: bool = False, most: int = 0) -> None:
        """everything: compute all, so that memory (`image`) is as the launch leaves it. most: instructions of a warp between
        two accesses that it waits for, 0: as many as any run.
        """
        self.code, self.launch, self.most = code, launch, most
        self.followed = FollowedStores(code, launch, everything)
        self.tracked = tracked_at_first(code, self.followed.whole)
        self.begin()

    def begin(self, clock_mhz: float = 1000.0) -> None:
        self.image = Image.lazily(self.launch, self.code.kernel)
        self.plan: Plan = self.followed.plan(self.image)
        wanted = self.plan.part.computes
        self.times = frozenset(i.index for i in self.code.instructions if i.reads_time and wanted[i.index])
        self.plan.ends_before |= first_uses(self.code, self.tracked | self.times)
        self.pending = PendingAccesses(self.code, self.image, self.plan.unknowns, self.tracked)
        self.pending.clock_mhz = clock_mhz
        self.plan.most = self.most
        self.plan.keep_order(self.pending, self.followed.whole)
        self.batches: list[Batch] = []
        self.looked = 0  # at which a deadlock was looked for last, in reads in vain

    def start(self, blocks: np.ndarray) -> Pieces:
        state = open_state(self.plan, self.launch, np.asarray(blocks, np.int64))
        batch = Batch(state, Log(state.warps), set(state.blocks.tolist()))
        self.batches.append(batch)
        return self._pieces([batch])

    def perform(self, numbers: np.ndarray, cycles: np.ndarray, sms: np.ndarray) -> Pieces:
        going: list[Batch] = []
        try:
            moments = [Moment(*m) for m in zip(cycles.tolist(), sms.tolist(), strict=True)]
            served = self.pending.perform(numbers.tolist(), moments)
        except StoresWanted as error:
            self._learn(error)
        for batch, warps in served:
            self._go_on(batch, warps[batch.outstanding[warps] == 0])
            if not any(batch is other for other in going):
                going.append(batch)
        pieces = self._pieces(going)
        self._look_for_deadlock(going)
        return pieces

    def drop(self, block: int) -> None:
        for batch in [b for b in self.batches if block in b.left]:
            batch.left.discard(block)
            if not batch.left:
                self.batches = [b for b in self.batches if b is not batch]

    def _go_on(self, batch: Batch, warps: np.ndarray) -> None:
        """Warps have their values. One that reads in vain lets another of its paths run, if it has one."""
        paths, waited = batch.state.paths, batch.state.waits.waited
        waits = warps[paths.status[warps] == AT_POLL]
        paths.status[waits] = divergence.RUNNING
        ready = ((paths.parked_for[waits] == 0) & (np.arange(divergence.PATHS) < paths.parked[waits][:, None])).any(
            axis=1
        )
        turns = waits[ready & (batch.repeats[waits] > 0)]
        waited[turns] = 0
        divergence.set_aside(paths.arrays, turns, waited)
        waited[turns] = 0

    def _learn(self, error: StoresWanted | Overtaken) -> None:
        """More counts than was known: the launch begins again."""
        if isinstance(error, StoresWanted):
            self.followed.learn(error.feeds)
        else:
            self.tracked |= error.loads
        raise StartAgain from None

    def _pieces(self, batches: list[Batch]) -> Pieces:
        """Run the batches as far as they get; what their warps executed."""
        found = []
        for batch in batches:
            batch.log, batch.made = Log(batch.state.warps), []
            self.pending.batch = batch
            try:
                run_warps(self.plan, batch.state, batch.log, True, PendingWave(self.pending, batch))
            except (StoresWanted, Overtaken) as error:
                self._learn(error)
            if not batch.outstanding.any():
                check_end(batch.state, self.plan)
            found.append(piece_of(batch))
        self.image.spoiled.clear()
        return found[0] if len(found) == 1 else joined(found)

    def _look_for_deadlock(self, batches: list[Batch]) -> None:
        """SsmsimError where nobody can change what all wait for."""
        most = max((int(b.repeats.max()) for b in batches), default=0)
        if most < IN_VAIN or most < self.looked + IN_VAIN // 4 or self.pending.stores:
            self.looked = min(self.looked, most)
            return
        self.looked = most
        waiting = []
        for batch in self.batches:
            status = batch.state.paths.status
            if (status == divergence.RUNNING).any():
                return
            polls = np.flatnonzero((status == AT_POLL) | (batch.outstanding > 0))
            if (batch.repeats[polls] < IN_VAIN // 2).any():
                return
            waiting += [(batch, int(w)) for w in polls]
        if not waiting:
            return
        batch, w = waiting[0]
        state, ins = batch.state, self.code.instructions[int(batch.last[w]) - 1]
        blocks = sorted({int(b.state.blocks[b.state.block_of[v]]) for b, v in waiting})
        names = ", ".join(map(str, blocks[:8])) + (", .." if len(blocks) > 8 else "")
        raise SsmsimError(
            f"deadlock: warp {int(state.warp_of[w])} of block {int(state.blocks[state.block_of[w]])} reads the same value at "
            f"{ins.place} for ever; blocks that poll: {names}",
            ins.where, "no block that runs or may start writes there",
        )  # fmt: skip


def piece_of(batch: Batch) -> Pieces:
    """What the warps of a batch executed since its log began."""
    state, paths = batch.state, batch.state.paths
    trace = batch.log.trace(state.blocks)
    lengths, rows = np.diff(trace.first), np.diff(trace.first_access)
    there = np.flatnonzero(lengths)
    place = np.full(state.warps, -1, np.int64)
    place[there] = np.arange(len(there))
    ends = paths.status[there] == divergence.DONE
    performs = [
        np.stack([place[warps], executed, numbers, np.full(len(warps), waits, np.int64)], axis=1)
        for warps, executed, numbers, waits in batch.made
    ]
    return Pieces(
        state.blocks[state.block_of[there]], np.asarray(state.warp_of[there], np.int64),
        np.concatenate([[0], np.cumsum(lengths[there])]), trace.index, trace.mask, trace.active,
        np.concatenate([[0], np.cumsum(rows[there])]), trace.addresses,
        ends, np.where(ends, -1, paths.pc[there]).astype(np.int32), np.concatenate([*performs, np.empty((0, 4), np.int64)]),
    )  # fmt: skip


def joined(pieces: list[Pieces]) -> Pieces:
    """Several batches' pieces as one."""
    if not pieces:
        none, zero = np.empty(0, np.int64), np.zeros(1, np.int64)
        return Pieces(none, none, zero, none.astype(np.int32), none.astype(np.uint32), none.astype(np.uint32), zero,
                      np.empty((0, 32), np.int64), none.astype(bool), none.astype(np.int32), np.empty((0, 4), np.int64))  # fmt: skip

    def partition(name: str) -> np.ndarray:
        return np.concatenate([[0], np.cumsum(np.concatenate([np.diff(getattr(p, name)) for p in pieces]))])

    before, performs = 0, []
    for p in pieces:
        performs.append(p.performs + np.array([before, 0, 0, 0]))
        before += len(p.block)
    both = {
        name: np.concatenate([getattr(p, name) for p in pieces])
        for name in ("block", "warp", "index", "mask", "active", "addresses", "ends", "following")
    }
    return Pieces(
        **both, first=partition("first"), first_access=partition("first_access"), performs=np.concatenate(performs)
    )
