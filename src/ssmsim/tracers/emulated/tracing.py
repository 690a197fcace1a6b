"""Trace mode: which slice of a kernel to carry out, and what to do when it turns out to be too short."""

from dataclasses import replace

import numpy as np

from ssmsim.launch import Launch
from ssmsim.sass.decode import Code
from ssmsim.sass.opcodes import Access
from ssmsim.trace.types import BlockTrace
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.cluster import chosen, size_of, whole_clusters
from ssmsim.tracers.emulated.hardware import in_cluster
from ssmsim.tracers.emulated.resources import publishes
from ssmsim.tracers.emulated.run import Plan, run_blocks
from ssmsim.tracers.emulated.shared_memory_history import History
from ssmsim.tracers.emulated.slice import Slice, descriptors_change, slice_program
from ssmsim.tracers.emulated.state import MemoryWanted, UnknownMet
from ssmsim.tracers.emulated.unknown import unspoil


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
        self.repeatable = descriptors_change(code) and all(publishes(i) for i in atomics)  # twice is as once
        self.open = self.part.reads_open
        self.labelled = self.part.loads_global and bool(atomics)
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
        return plan

    def _shorten(self, blocks: np.ndarray) -> Plan:
        """The plan to start with: cut to the stores that one block's loads from shared memory really read."""
        whole = self._plan(self.labelled)
        if (self.labelled and not self.repeatable) or not self.part.loads_shared:
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
            self.part = replace(self.part, loads_global=True)
            self._open_memory()
            return self._run(blocks)

    def _run(self, blocks: np.ndarray) -> BlockTrace:
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
