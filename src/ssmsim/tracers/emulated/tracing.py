"""Trace mode: which slice of a kernel to carry out, and what to do when it turns out to be too short."""

from dataclasses import replace
from zlib import crc32

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.sass.decode import Code
from ssmsim.sass.opcodes import Access
from ssmsim.trace.types import BlockTrace
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.cluster import chosen, size_of, whole_clusters
from ssmsim.tracers.emulated.endless import NeverEnds
from ssmsim.tracers.emulated.hardware import in_cluster
from ssmsim.tracers.emulated.in_order import InOrder, may_need_order
from ssmsim.tracers.emulated.order import OF_GLOBAL
from ssmsim.tracers.emulated.run import Plan, run_blocks
from ssmsim.tracers.emulated.shared_memory_history import History
from ssmsim.tracers.emulated.slice import Slice, copies_shared, published, slice_program
from ssmsim.tracers.emulated.state import MemoryWanted, OrderWanted, UnknownMet
from ssmsim.tracers.emulated.unknown import DataOfTheLaunch, unspoil


class Tracing:
    """Trace mode of one launch: runs without labels until a wanted load meets bytes that nobody recorded."""

    def __init__(self, code: Code, launch: Launch, most: int = 0) -> None:
        """most: instructions of a warp, 0: as many as any run; one that executes more ends it (run.TooLong)."""
        self.code, self.launch, self.most = code, launch, most
        self.part = slice_program(code)
        instructions = code.instructions
        atomics = [
            i for i, c in zip(instructions, self.part.computes, strict=True) if c and i.entry.access == Access.ATOMIC
        ]
        self.repeatable = bool(published(code)) and all(i.index in published(code) for i in atomics)  # twice is as once
        self.open = self.part.reads_open
        self.labelled = self.part.loads_global and bool(atomics)
        self.in_order: InOrder | None = None
        self.one_order = True  # where control hangs on the order of blocks, choose one; else OrderWanted
        self.wanted: np.ndarray | None = None  # blocks that will be asked for; None: all
        self.given: dict[int, int] = {}  # checksums of blocks
        self.may_change = any(
            i.entry.space in OF_GLOBAL and i.entry.access in (Access.STORE, Access.ATOMIC) for i in instructions
        )
        self._open_memory()

    def _open_memory(self) -> None:
        self.plan: Plan | None = None
        if self.part.loads_global:
            self.image = Image.lazily(self.launch, self.code.kernel)
        else:
            self.image = Image.of([self.launch], store=False, kernel=self.code.kernel)

    def _plan(self, labelled: bool, part: Slice | None = None, history: History | None = None) -> Plan:
        image = self.image if self.part.loads_global else None
        plan = Plan(self.code, image, self.image, part or self.part, labelled, self.open and not history, history)
        plan.most = self.most
        plan.unknowns.at_once = True
        plan.unknowns.forgets, plan.unknowns.maps = True, published(self.code)
        return plan

    def _shorten(self, blocks: np.ndarray) -> Plan:
        """The plan to start with: cut to the stores that one block's loads from shared memory really read."""
        whole = self._plan(self.labelled)
        if (self.labelled and not self.repeatable) or not self.part.loads_shared or copies_shared(self.code, self.part):
            return whole
        probe = History(self.code)
        plan = self._plan(self.open or self.labelled, history=probe)
        try:
            run_blocks(plan, self.launch, blocks[: size_of(self.launch)])
        finally:
            unspoil(self.image)
        part = slice_program(self.code, feeds=probe.feeds)
        if sum(part.computes) > 0.9 * sum(self.part.computes):
            return whole
        short = self._plan(self.labelled, part, History(self.code, probe.feeds))
        short.unknowns.watched = self.open
        return short

    def trace(self, blocks: np.ndarray) -> BlockTrace:
        """What the blocks execute. Blocks of a cluster run together: those that are not asked for are left out."""
        if not in_cluster(self.launch):
            return self._trace(blocks)
        return chosen(self._trace(whole_clusters(self.launch, blocks)), blocks, self.launch.warps_per_block)

    def _trace(self, blocks: np.ndarray) -> BlockTrace:
        try:
            return self._run(blocks)
        except MemoryWanted:  # tensor maps that are not among the parameters
            self.part, self.open = replace(self.part, loads_global=True, reads_open=True), True
            self._open_memory()
            return self._run(blocks)

    @property
    def timing_dependent(self) -> tuple[str, ...]:
        """Instructions (PC and text) whose values may hang on the order of blocks, as far as blocks have been run:
        what the launch executes is then that of one order (in_order.py). Empty where nothing does.
        """
        return () if self.in_order is None else self.in_order.timing_dependent

    def _run(self, blocks: np.ndarray) -> BlockTrace:
        if self.in_order is None:
            try:
                found = self._at_once(blocks)
                self._remember(found)
                return found
            except (DataOfTheLaunch, OrderWanted):
                pass
            except NeverEnds:
                if not self.part.loads_global:
                    raise
            if not self.one_order:
                raise OrderWanted
            self.in_order = InOrder(self.code, self.launch, self.most)
            self.in_order.wanted = self.wanted
            self._check()
        return self.in_order.trace(blocks)

    @property
    def hangs_on_time(self) -> bool:
        """May control hang on a clock, or on where a block runs?"""
        return any(i.reads_time for i, c in zip(self.code.instructions, self.part.computes, strict=True) if c)

    def hangs_on_order(self, blocks: np.ndarray) -> bool:
        """Does control hang on the time, or on what other blocks write, as far as these blocks show, which are run for
        it?"""
        if self.hangs_on_time:
            return True
        if self.in_order is not None or not may_need_order(self.code, self.part):
            return self.in_order is not None
        try:
            self._at_once(blocks if not in_cluster(self.launch) else whole_clusters(self.launch, blocks))
        except (DataOfTheLaunch, OrderWanted, NeverEnds):
            return True
        finally:
            unspoil(self.image)
            self.plan = None
            self._open_memory()
        return False

    def _remember(self, trace: BlockTrace) -> None:
        """Note what was given out, where the launch may turn out to need its order later."""
        if self.part.loads_global and self.may_change:
            ends = trace.first[:: self.launch.warps_per_block]
            for k, block in enumerate(trace.blocks.tolist()):
                self.given[block] = crc32(trace.index[ends[k] : ends[k + 1]].tobytes())

    def _check(self) -> None:
        """SsmsimError when blocks that were given out before run otherwise in order."""
        assert self.in_order is not None
        for block, before in self.given.items():
            trace = self.in_order.trace(np.array([block]))
            if crc32(trace.index.tobytes()) != before:
                what = f"block {block} was traced before it showed that its control depends on the order of blocks"
                raise SsmsimError(
                    what, self.code.kernel.name, "trace the launch's blocks in ascending order, all at once"
                )
        self.given.clear()

    def _at_once(self, blocks: np.ndarray) -> BlockTrace:
        """Blocks that do not wait for others, together."""
        if self.plan is None:
            self.plan = self._shorten(blocks)
        try:
            _, log = run_blocks(self.plan, self.launch, blocks)
        except UnknownMet:
            unspoil(self.image)
            self.plan = self._plan(labelled=self.open or self.labelled)
            _, log = run_blocks(self.plan, self.launch, blocks)
        self.image.spoiled.clear()
        return log.trace(blocks)
