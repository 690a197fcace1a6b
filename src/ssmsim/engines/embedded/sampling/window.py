"""A piece from the middle of a launch, on a GPU whose L2 is as the blocks before the piece left it.

For comparing many configurations on the same piece of work: the blocks and what ran before them are traced once, and
the L2's contents are made once for every geometry and then copied. The result is extrapolated from the piece to the
launch's share that the GPU would run, by its number of instructions as blocks drawn from all over the launch tell it:
what is counted grows in proportion, cycles by the rate of issue while all slots were taken (as in sampled_pool.py).
"""

import numpy as np

from ssmsim.config.schema import SimConfig
from ssmsim.engines import request
from ssmsim.engines.embedded.sampling.estimate import lengthen, rate
from ssmsim.engines.embedded.sampling.launch_history import History, traced
from ssmsim.engines.embedded.sampling.sampled_pool import FIRST_USES, SampledPool
from ssmsim.engines.embedded.state import machine, occupancy
from ssmsim.engines.embedded.state.counts import COUNTS
from ssmsim.engines.embedded.state.machine import State
from ssmsim.engines.request import WindowRequest
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.results import Sampled
from ssmsim.trace.types import BlockTrace

FEW = 2.0  # pieces


class Window:
    """Consecutive blocks of a launch, what ran before them, and what they stand for.

    The piece fills the configuration `waves` times, less often when the share has fewer blocks. It lies around the middle
    of `like`, else in a place that is like the others.
    A share that is not more than FEW pieces is taken from all over the launch instead, and starts with empty caches as the
    launch does: its blocks are what matters, not their number of waves.
    """

    def __init__(self, request: WindowRequest) -> None:
        program, launch, config, tracer = request.program, request.launch, request.config, request.tracer
        like = None if request.like is None else own(request.like)
        self.program, self.launch = program, launch
        self.guesses = getattr(tracer.blocks(launch, program), "guesses", False)
        self.history: History = like.history if like else History(tracer, program, launch)
        self.stands_for = max(1, round(request.share * launch.blocks))
        resident = occupancy.occupancy(launch, config).blocks * config.sm_count
        self.count = min(self.stands_for, max(1, round(request.waves * resident)))
        self.spread: bool = like.spread if like else self.count < launch.blocks and self.stands_for <= FEW * self.count
        if self.spread:
            self.first, self.numbers = 0, groups(launch, self.stands_for)
            self.count = len(self.numbers)
        else:
            first = like.middle - self.count // 2 if like else self.history.place(config, self.count)
            self.first = min(max(0, first), launch.blocks - self.count)
            self.numbers = list(range(self.first, self.first + self.count))
        self.middle: int = self.first + self.count // 2
        self.traces = list(traced(tracer, program, launch, self.numbers, 1))
        timed = sum(len(trace.index) for trace in self.traces)
        self.instructions = timed if self.count == launch.blocks else self.stands_for * self.history.per_block
        self.kept: dict[tuple[int, ...], tuple[np.ndarray, np.ndarray, int]] = {}

    def fill(self, state: State, config: SimConfig) -> None:
        """Leave in `state` the L2 that the blocks before the piece leave."""
        m = state.machine[0]
        names = ("l2_sets", "l1_sets", "l1_ways", "sms", "blocks_per_sm", "dirty_half_ways", "l1_replacement", "l2_replacement",
                 "slice_hash")  # fmt: skip
        of_l2 = ("slices", "ways", "fetch_bytes", "far_copies", "partitions")
        geometry = (*(int(m[name]) for name in names), *(int(m.l2[name]) for name in of_l2))
        if geometry not in self.kept:
            self.history.leave(state, config, self.first)
            self.kept[geometry] = (state.l2_tags.copy(), state.l2_lines.copy(), int(state.gpu[0].uses))
        if self.first:  # blocks have run here before
            machine.share_code(state, int(m.code_lines), 0)
        state.l2_tags[:], state.l2_lines[:], uses = self.kept[geometry]
        state.gpu[0].uses = uses

    def source(self) -> "Piece":
        return Piece(self)

    def pool(self, state: State) -> "WindowPool":
        return WindowPool(self, state)


def own(window: request.Window) -> Window:
    """The window of a request; raises SsmsimError for that of another engine."""
    if not isinstance(window, Window):
        raise SsmsimError("the window was made by another engine", "embedded engine", "make it with this engine")
    return window


def groups(launch: Launch, count: int) -> list[int]:
    """About so many blocks from all over the launch, in order, those of a row of the grid together: they share tiles."""
    row = launch.grid[0] if launch.grid[0] <= count // 4 else 1
    rows = launch.blocks // row
    chosen = np.unique(np.linspace(0, rows - 1, max(1, round(count / row))).astype(np.int64))
    return [int(number) for first in chosen * row for number in range(first, first + row)]


class WindowPool(SampledPool):
    """Times the whole piece."""

    def __init__(self, window: Window, state: State) -> None:
        super().__init__(window.program, Piece(window), state, target=0)
        self.window, self.planned = window, True
        self.meter.full_from = self.resident + 1
        self.stagger.done = True

    def extrapolate(self) -> Sampled | None:
        """Make the finished run's state that of the blocks that the piece stands for."""
        for number in self.parts:
            self._note(number)
        launched, timed = self.launched[: self.loaded], int(self.executed.sum())
        fraction, state = self.loaded / self.window.launch.blocks, self.state
        if fraction == 1:
            return None
        ratio = self._all_instructions(timed) / timed
        if self.window.spread:
            extra, interval = (int(state.gpu[0].finish) - int(state.machine[0].launch.start_cycles)) * (ratio - 1), None
        elif self.loaded <= self.resident + 1:
            raise SsmsimError(f"a piece of {self.loaded} blocks does not fill the GPU's {self.resident} slots",
                              self.program.kernel, "give it more waves")  # fmt: skip
        else:
            looks = self.meter.steady(launched, self.lengths[: self.loaded])
            one = rate(np.array([look.issued for look in looks]), np.array([look.cycle for look in looks]))
            extra = timed * (ratio - 1) * one.value
            interval = abs(extra) * one.spread
        active = int(state.sms.active.sum())
        counts = state.counts[0]
        for name in COUNTS.names or ():
            if name in FIRST_USES:
                continue
            grown = (active + extra * len(state.sms)) / active if name == "warp_cycles" else ratio
            counts[name] = np.rint(counts[name] * grown)
        self.sums[:] = np.rint(self.sums * ratio)
        self.executed[:] = np.rint(self.executed * ratio)
        state.stalls[:] = np.rint(state.stalls * ratio)
        lengthen(state, round(extra))
        elapsed = int(state.gpu[0].finish + state.machine[0].launch.end_cycles)
        return Sampled(fraction=fraction, ci95=None if interval is None else (elapsed - interval, elapsed + interval))

    def _all_instructions(self, timed: int) -> float:
        """Of the blocks that the piece stands for; skip_prologue shortens those that start after the first wave."""
        full = sum(len(trace.index) for trace in self.window.traces)
        shorter = (full - timed) / max(1, self.loaded - self.resident)
        return float(self.window.instructions - shorter * max(0, self.window.stands_for - self.resident))


class Piece:
    """BlockSource of a window's blocks, one at a time."""

    def __init__(self, window: Window) -> None:
        self.traces = iter(window.traces)
        self.warps_per_block, self.block_count = window.launch.warps_per_block, window.count
        self.guesses = window.guesses

    def next_blocks(self, count: int) -> BlockTrace | None:
        return next(self.traces, None)
