"""What ran before a piece of a launch: the L2 that it left, and a place for the piece that is like the others.

Some blocks before the piece pass through an empty L2. What those before them left is missing: an L2 that the launch has
filled would write back as much as the piece stores, and here has room for it.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from ssmsim.config.schema import SimConfig
from ssmsim.engines.embedded import instructions
from ssmsim.engines.embedded.bitmask import scramble
from ssmsim.engines.embedded.sampling.functional_warming import Functional
from ssmsim.engines.embedded.state import machine
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.counts import COUNTS
from ssmsim.engines.embedded.state.machine import State
from ssmsim.launch import Launch
from ssmsim.trace.types import BlockTrace, Program, Tracer

BATCH = 256  # blocks
BEFORE = 6_000_000  # warp instructions that run before the piece, through the caches alone
PLACES = 3  # that are looked at
DRAWN = 96  # blocks whose lengths tell how much work the launch is, one from every stretch
ALIKE = 0.05  # of what places read


def traced(tracer: Tracer, program: Program, launch: Launch, blocks: Sequence[int], batch: int) -> Iterator[BlockTrace]:
    source = tracer.blocks(launch, program, blocks)
    while blocks and (trace := source.next_blocks(batch)) is not None:
        yield trace


class History:
    """The blocks before a piece of a launch. per_block: warp instructions of one, on average."""

    def __init__(self, tracer: Tracer, program: Program, launch: Launch) -> None:
        self.tracer, self.program, self.launch = tracer, program, launch
        edges = np.linspace(0, launch.blocks, DRAWN + 1).astype(np.int64)
        drawn = [int(a + scramble(i + 1) % max(1, b - a)) for i, (a, b) in enumerate(pairwise(edges))]
        self.drawn = np.array(sorted(set(drawn)))
        traces = traced(tracer, program, launch, self.drawn.tolist(), 1)
        self.lengths = np.array([len(trace.index) for trace in traces])
        self.per_block = float(self.lengths.mean())

    def leave(self, state: State, config: SimConfig, first: int) -> Functional:
        """Leave in `state` the L2 that the blocks before `first` leave."""
        functional = Functional(self.program, instructions.translate(self.program, config), state.machine, state,
                                r.records(COUNTS, 1))  # fmt: skip
        start = max(0, first - round(BEFORE / self.per_block))
        for trace in traced(self.tracer, self.program, self.launch, range(start, first), BATCH):
            functional.run(trace, self.launch.warps_per_block)
        return functional

    def place(self, config: SimConfig, count: int) -> int:
        """First block of a piece of `count`: of PLACES that read about the median of sectors from DRAM, the most central.

        The places are drawn by work, as blocks differ. Not the middle of the launch: a power of two there begins a group of
        heads, whose tiles nobody has read.
        """
        parts = [(i + scramble(i + 1) % 4096 / 4096) / PLACES for i in range(PLACES)]
        done = np.cumsum(self.lengths) / self.lengths.sum()
        middles = np.interp(parts, done, self.drawn) - count / 2
        places = sorted({int(first) for first in np.clip(middles, 0, self.launch.blocks - count)})
        if len(places) == 1:
            return places[0]
        reads = {first: self._reads(config, first, count) for first in places}
        median = sorted(reads.values())[len(reads) // 2]
        alike = [first for first in places if abs(reads[first] - median) <= ALIKE * median]
        return min(alike, key=lambda first: (abs(2 * first + count - self.launch.blocks), first))

    def _reads(self, config: SimConfig, first: int, count: int) -> float:
        """Sectors that a piece reads from DRAM, per warp instruction."""
        state = machine.build(instructions.translate(self.program, config), self.launch, config, self.launch.blocks)
        functional = self.leave(state, config, first)
        before, executed = int(functional.counts[0].dram_reads), int(functional.executed.sum())
        for trace in traced(self.tracer, self.program, self.launch, range(first, first + count), BATCH):
            functional.run(trace, self.launch.warps_per_block)
        return (int(functional.counts[0].dram_reads) - before) / (int(functional.executed.sum()) - executed)
