"""Launches whose control hangs on what their own blocks write to global memory, run in one canonical order.

Blocks begin in ascending order (clusters whole, by rank), as many together as a GPU holds: a wave. Warps of a wave that
stand at one PC step together, the lowest PC first, and what they do to one word they do in ascending order. A warp
that polls is set aside until the word is stored to (polls.py). Where all wait, the next blocks begin in the places of
those that ended. The next wave begins when the last block has ended. So a block's first ticket is its number, and
blocks that take more than one take turns.

Stores to global memory are carried out where control has been found to need their values: the launch begins again,
from the contents that it was captured with, each time that another such store is met. The same holds for shared
memory.
"""

from __future__ import annotations

import numpy as np

from ssmsim.launch import Launch
from ssmsim.sass.decode import Code
from ssmsim.sass.opcodes import Access
from ssmsim.trace.types import BlockTrace
from ssmsim.tracers.emulated import divergence, polls, trials
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.cluster import chosen, members, size_of, whole_clusters
from ssmsim.tracers.emulated.followed_stores import FollowedStores
from ssmsim.tracers.emulated.hardware import RESERVED_SHARED
from ssmsim.tracers.emulated.log import Log
from ssmsim.tracers.emulated.operand_values import Group
from ssmsim.tracers.emulated.order import OF_GLOBAL, Order
from ssmsim.tracers.emulated.run import Plan, Stretch, TooLong, Wave, open_state, run_blocks
from ssmsim.tracers.emulated.slice import Slice
from ssmsim.tracers.emulated.state import State
from ssmsim.tracers.emulated.unknown import StoresWanted

MULTIPROCESSORS = 132  # where the launch does not say
SM_WARPS, SM_BLOCKS, SM_REGISTERS, SM_SHARED, SUBCORES = 64, 32, 65536, 233472, 4  # of Hopper's SM
WAVE_BYTES = 3 << 30  # of a wave's trace, about; more, and the waves are made smaller
HELD_BYTES = 1 << 29  # of waves that are over, kept in case their blocks are asked for again


class TooLarge(Exception):
    """A wave's trace does not fit into WAVE_BYTES."""


def residents(launch: Launch) -> int:
    """Blocks that a GPU holds at a time, whole clusters, at least one of them."""
    per_warp = -(-max(launch.registers_per_thread, 1) * 32 // 256) * 256
    limits = (
        SM_WARPS // launch.warps_per_block, SM_BLOCKS,
        SUBCORES * (SM_REGISTERS // SUBCORES // per_warp) // launch.warps_per_block,
        SM_SHARED // (-(-(launch.shared_memory_bytes + RESERVED_SHARED) // 128) * 128),
    )  # fmt: skip
    there = (launch.device.model_extra or {}).get("multiprocessors")
    count = max(1, min(limits)) * (there if isinstance(there, int) else MULTIPROCESSORS)
    size = size_of(launch)
    return max(1, count // size) * size


class OrderedWave(Wave):
    """One wave: its blocks so far, who polls, and which blocks come next."""

    def __init__(self, launch: Launch, following: np.ndarray, size: int, kept: np.ndarray | None) -> None:
        """following: blocks that may begin, in order. size: of the wave. kept: blocks whose streams are wanted, None:
        all."""
        self.launch, self.following, self.kept = launch, following, kept
        self.size, self.resident = size, residents(launch)
        self.limit = True  # of WAVE_BYTES

    def begin(self) -> np.ndarray:
        """Linear ids of the blocks that begin the wave."""
        self.blocks = self.following[: self.size]
        self.following = self.following[self.size :]
        return self.blocks

    def wanted(self, blocks: np.ndarray) -> np.ndarray | None:
        """bool per warp: is its stream wanted? None: all."""
        return None if self.kept is None else np.repeat(np.isin(blocks, self.kept), self.launch.warps_per_block)

    def open(self, plan: Plan, state: State, log: Log) -> None:
        assert isinstance(plan.order, Order)
        self.plan, self.state, self.log, self.order = plan, state, log, plan.order
        log.kept = self.wanted(state.blocks)
        self.order.open(state, log)
        self.polls = polls.Polls(self.order, plan.wanted, plan.code.instructions, state, log)
        self.order.find_trial = self.polls.find_trial
        self.looks = 0

    def meet(self, stretch: Stretch, group: Group) -> Group | None:
        self.looks += 1
        if self.looks % 1024 == 0 and self.limit and self.size > size_of(self.launch):
            if 12 * int(self.log.executed.sum()) + 256 * int(self.log.rows.sum()) > WAVE_BYTES:
                raise TooLarge
        self.order.start, self.polls.reading = stretch.start, stretch.reads
        going: Group | None = group
        if stretch.reads:
            going = self.polls.meet(group, stretch.start)
        if going is None:
            return None
        if stretch.meets:
            self.polls.meet_barrier(going, stretch.start)
        self.polls.note_whole(going)
        if stretch.effect:
            self.order.effects[going.numbers] += 1
        return going

    def go_on(self) -> bool:
        """Polls whose words were stored to look again; else the next blocks begin in the places of those that ended."""
        if self.polls.wake():
            return True
        if not (self.state.paths.status == polls.AT_POLL).any():
            return False
        shape = (len(self.state.blocks), -1)
        running = int((self.state.paths.status != divergence.DONE).reshape(shape).any(axis=1).sum())
        free = min(self.resident - running, self.size, len(self.following))
        size = size_of(self.launch)
        free -= free % size
        if free <= 0:
            return False
        blocks, self.following = self.following[:free], self.following[free:]
        other = open_state(self.plan, self.launch, blocks)
        self.state.widen(other)
        self.blocks = self.state.blocks
        for part in (self.order, self.polls):
            part.widen(other.warps)
        self.log.widen(self.wanted(blocks), other.warps)
        return True

    def close(self) -> np.ndarray:
        """The wave has ended: its rows of BlockTrace.awaited; the loads that hang on timing are known then."""
        rows, timing = self.order.close(self.state), self.order.timing
        for trial in self.polls.trials:
            if trial.load not in timing and not trials.goes_round(self.plan, self.launch, trial):
                timing.add(trial.load)
        return rows

    def refuse(self) -> None:
        error = self.polls.deadlock(self.resident)
        if error is not None:
            raise error


class InOrder:
    """Trace mode of such a launch: its blocks from the first on, as far as they are asked for."""

    def __init__(self, code: Code, launch: Launch, most: int = 0) -> None:
        """most: instructions of a warp (0: as many as any run); the first wave is then the only one."""
        self.code, self.launch, self.most = code, launch, most
        self.followed = FollowedStores(code, launch)
        self.size = residents(launch)
        self.wanted: np.ndarray | None = None  # blocks that may be asked for; None: all
        self.timing: set[int] = set()
        self._begin()

    @property
    def timing_dependent(self) -> tuple[str, ...]:
        """Instructions whose values may hang on timing, by PC and text, of the blocks run so far."""
        return tuple(self.code.instructions[i].place for i in sorted(self.timing))

    def _begin(self) -> None:
        self.image = Image.lazily(self.launch, self.code.kernel)
        self.plan = self.followed.plan(self.image)
        self.plan.most = self.most
        self.order = Order(self.code, self.image, self.plan.unknowns)
        self.plan.keep_order(self.order, self.followed.whole)
        self.following = members(self.launch, np.arange(self.launch.blocks // size_of(self.launch)))
        self.done: set[int] = set()
        self.held: list[BlockTrace] = []

    def trace(self, blocks: np.ndarray) -> BlockTrace:
        """What the blocks execute."""
        needed = set(blocks.tolist())
        there = {b for trace in self.held for b in trace.blocks.tolist()}
        if (needed & self.done) - there:
            self._begin()
        while missing := needed - {b for trace in self.held for b in trace.blocks.tolist()}:
            if sum(t.index.nbytes * 3 + t.addresses.nbytes for t in self.held) > HELD_BYTES:
                self.held = [t for t in self.held if not needed.isdisjoint(t.blocks.tolist())]
            self._advance(missing)
        traces = [t for t in self.held if not needed.isdisjoint(t.blocks.tolist())]
        found = traces[0] if len(traces) == 1 else _joined(traces)
        return chosen(found, blocks, self.launch.warps_per_block)

    def _advance(self, needed: set[int]) -> None:
        """The next wave; from the first one on when control turns out to hang on more."""
        try:
            self._wave(needed)
            return
        except StoresWanted as error:
            self.followed.learn(error.feeds)
        except TooLarge:
            self.size = max(size_of(self.launch), self.size // 4 // size_of(self.launch) * size_of(self.launch))
            self._begin()
            return
        self._begin()

    def _wave(self, needed: set[int]) -> None:
        if self.done and self.most:
            raise TooLong("a trial ends with the first wave of blocks", self.code.kernel.name, "replay the launch")
        kept = None if self.wanted is None else np.union1d(self.wanted, np.array(sorted(needed), np.int64))
        if kept is not None and size_of(self.launch) > 1:
            kept = whole_clusters(self.launch, kept)
        wave = OrderedWave(self.launch, self.following, self.size, kept)
        _, log = run_blocks(self.plan, self.launch, wave.begin(), wave=wave)
        self.image.spoiled.clear()
        rows = wave.close()
        self.timing |= self.order.timing
        self.following = wave.following
        self.done.update(wave.blocks.tolist())
        trace = log.trace(wave.blocks)
        if kept is not None:
            trace = chosen(trace, wave.blocks[np.isin(wave.blocks, kept)], self.launch.warps_per_block)
        self.held.append(BlockTrace(
            trace.blocks, trace.first, trace.index, trace.mask, trace.active, trace.first_access, trace.addresses,
            rows[np.isin(rows[:, 3], trace.blocks)],
        ))  # fmt: skip


def _joined(traces: list[BlockTrace]) -> BlockTrace:
    """One trace of the blocks of several."""
    first = [t.first[(k > 0) :] + sum(len(u.index) for u in traces[:k]) for k, t in enumerate(traces)]
    rows = [t.first_access[(k > 0) :] + sum(len(u.addresses) for u in traces[:k]) for k, t in enumerate(traces)]
    both = {
        n: np.concatenate([getattr(t, n) for t in traces]) for n in ("blocks", "index", "mask", "active", "addresses")
    }
    awaited = np.concatenate([t.awaited for t in traces])
    return BlockTrace(both["blocks"], np.concatenate(first), both["index"], both["mask"], both["active"],
                      np.concatenate(rows), both["addresses"], awaited)  # fmt: skip


def may_need_order(code: Code, part: Slice) -> bool:
    """May control hang on what other blocks write, by the code: on atomics on global memory, or strong loads in
    loops?"""
    loops = polls.polling(code.instructions, part)
    return any(
        c and i.entry.space in OF_GLOBAL and (
            (i.entry.access == Access.ATOMIC and any(i.wants)) or (loops[i.index] and i.has("STRONG"))
        ) for i, c in zip(code.instructions, part.computes, strict=True)
    )  # fmt: skip
