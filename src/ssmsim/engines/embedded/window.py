"""A few blocks from the middle of a launch, on a GPU whose L2 is as the blocks before them left it.

For comparing many configurations on the same piece of work: the blocks and what ran before them are traced once, and
the L2's contents are made once for every geometry and then copied. Counters are those of the piece, not of the launch.
"""

from collections.abc import Iterator

import numpy as np

from ssmsim.config.schema import SimConfig
from ssmsim.engines.embedded import code, machine
from ssmsim.engines.embedded import records as r
from ssmsim.engines.embedded.functional import Functional
from ssmsim.engines.embedded.machine import State
from ssmsim.launch import Launch
from ssmsim.results import Sampled
from ssmsim.trace.types import BlockTrace, Program
from ssmsim.tracers import open_tracer

BATCH = 256  # blocks
HISTORY = 6_000_000  # warp instructions that run before the piece, through the caches alone


class Window:
    """`blocks` consecutive blocks of a launch, and about HISTORY warp instructions of blocks before them."""

    def __init__(self, program: Program, launch: Launch, blocks: int) -> None:
        self.program, self.launch = program, launch
        self.count = min(blocks, launch.blocks)
        self.first = (launch.blocks - self.count) // 2
        self.traces = list(self._traced(self.first, self.first + self.count, 1))
        self.kept: dict[tuple[int, ...], tuple[np.ndarray, int]] = {}

    @property
    def sampled(self) -> Sampled | None:
        """What a result says of itself: a fragment, not scaled; None when the piece is the launch."""
        return None if self.count == self.launch.blocks else Sampled(fraction=self.count / self.launch.blocks)

    def source(self) -> "Piece":
        return Piece(self)

    def fill(self, state: State, config: SimConfig) -> None:
        """Leave in `state` the L2 that the blocks before the piece leave."""
        m = state.machine[0]
        names = ("l2_slices", "l2_sets", "l2_ways", "l2_fetch", "far_copies", "partitions", "l1_sets", "l1_ways", "sms",
                 "blocks_per_sm")  # fmt: skip
        geometry = tuple(int(m[name]) for name in names)
        if geometry not in self.kept:
            per_block = sum(len(trace.index) for trace in self.traces) / self.count
            before = max(0, self.first - round(HISTORY / per_block))
            functional = Functional(self.program, code.translate(self.program, config), state.machine, state,
                                    r.records(r.COUNTS, 1))  # fmt: skip
            for trace in self._traced(before, self.first, BATCH):
                functional.run(trace, self.launch.warps_per_block)
            self.kept[geometry] = (state.l2_lines.copy(), int(state.gpu[0].uses))
        lines, uses = self.kept[geometry]
        state.l2_lines[:] = lines
        state.gpu[0].uses = uses

    def _traced(self, first: int, last: int, batch: int) -> Iterator[BlockTrace]:
        source = open_tracer("emulated").blocks(self.launch, self.program, range(first, last))
        while first < last and (trace := source.next_blocks(batch)) is not None:
            yield trace


def blocks_of(launch: Launch, config: SimConfig, waves: float, share: float) -> int:
    """Blocks that fill `config` so many waves deep, but no more than its `share` of the launch."""
    resident = machine.occupancy(launch, config).blocks * config.sm_count
    return max(1, round(min(waves * resident, share * launch.blocks)))


class Piece:
    """BlockSource of a window's blocks, one at a time."""

    def __init__(self, window: Window) -> None:
        self.traces = iter(window.traces)
        self.warps_per_block, self.block_count = window.launch.warps_per_block, window.count

    def next_blocks(self, count: int) -> BlockTrace | None:
        return next(self.traces, None)
