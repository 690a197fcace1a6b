"""The second wave of a sampled run starts out of step, as waves are in the middle of most runs.

Blocks of the first wave start together and ask for the same at the same time. In whole runs that wears off within some
eight waves (chunk_state_fwd of mamba2-8b: 18,500 cycles per wave at first, then 16,200;
on an H200 the middle half of a wave's
blocks starts within 26 % of a wave at first, from the seventh wave on within 50 %), which a sampled run does not have:
the rate of blocks in step would be taken for that of all. So the slots of the first wave are given away one by one until
the oldest blocks of the second are about to end: too soon, and none starts while those that do run on, in step; too late, and
slots that wait for their turn are given away at once. How long that is shows as they get on: the slots that are left
are spread over the rest of their work, at the pace of the first wave. (Three quarters of the first wave's time, as it was
once, left the blocks of chunk_state_fwd within 60 % of a wave; the whole of it put those of dstates on 4 SMs in step again.)
What happens until the waves after it are under way is left out of the estimate (sampled_pool.py), its work counting as skipped.

Blocks that all take as long stay in step (chunk_state_bwd_db: there 5 % at first and 8 % eight waves later). When the first
wave ends as closely together as that, the rest of its slots are given away at once.
"""

import numpy as np

from ssmsim.engines.embedded.sampling.estimate import Meter
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.machine import State

LOOK = 64  # cycles
NEVER = 1 << 62
OLDEST = 16  # how far the first of so many parts of the second wave's work is tells when its oldest blocks end
# Nine tenths of the first wave that end within this part of its time are in step: 0.09 to 0.15 in launches that stay so,
# 0.2 and more in those that do not.
IN_STEP = 0.18


class Stagger:
    """Watches the launches (see simulate.run_to_end); wave: blocks that run in the time of one.

    began: cycle in which the second wave starts to be launched, 0 before. work, pace: warp
    instructions of the first wave, and the cycles that they take.
    """

    def __init__(self, meter: Meter, wave: int) -> None:
        self.meter, self.wave, self.began, self.done = meter, wave, 0, False
        self.before_fp, self.work, self.pace = 0, 0, 0.0

    def until(self, state: State) -> int:
        return NEVER if self.done else int(state.gpu[0].cycle) + LOOK

    def look(self, state: State) -> None:
        gpu, m = state.gpu[0], state.machine[0]
        if self.done or gpu.next_launch <= self.wave:
            return
        took = (self.began or int(gpu.cycle)) - int(m.launch.start_cycles)
        if not self.began:
            self.began, self.before_fp = int(gpu.cycle), int(m.successor_fp)
            self.work = int(given(state, np.arange(self.wave)).sum())
            self.pace = took * self.work / int(state.counts[0].issued)
        second = np.arange(self.wave, min(2 * self.wave, int(gpu.next_launch)))
        part = self.work * max(1, self.wave // OLDEST) // self.wave
        rest = self.pace * left(state, second, part) / max(1, 2 * self.wave - int(gpu.next_launch))
        m.successor_fp = max(self.before_fp, int(rest * (1 << r.FP)))
        in_step = gpu.blocks_done >= 0.9 * self.wave and gpu.cycle - self.began < IN_STEP * took
        if in_step:
            self.meter.full_from = self.wave + 3 * self.wave // 4
        if in_step or gpu.next_launch >= 2 * self.wave:
            self.done = True
            m.successor_fp = gpu.launch_free_fp = self.before_fp


def given(state: State, blocks: np.ndarray) -> np.ndarray:
    """Warp instructions of some blocks, int64[blocks], by their number in order of loading."""
    first = state.loaded.first[records_of(state, blocks)]
    return np.asarray(first[:, int(state.machine[0].warps_per_block)] - first[:, 0])


def records_of(state: State, blocks: np.ndarray) -> np.ndarray:
    """Their records in state.loaded, int64[blocks]; of the last that were loaded, as many as there are records."""
    return np.asarray(state.loaded.turn[blocks % len(state.loaded)])


def left(state: State, blocks: np.ndarray, work: int) -> float:
    """What has not been issued of the first `work` warp instructions of some launched blocks, as a part of that.

    Whole blocks are counted: the first that have as much together, or all while those launched have less.
    """
    lengths = given(state, blocks)
    blocks = blocks[: int(np.searchsorted(np.cumsum(lengths), work)) + 1]
    total = int(lengths[: len(blocks)].sum())
    m, waiting = state.machine[0], max(0, work - total)
    for number in records_of(state, blocks):
        source = state.loaded[number]
        block = state.blocks[int(source.sm * m.block_places + source.slot)]
        if block.live and block.loaded == number:
            warps = [(k, w) for k, w in enumerate(block.warps[: int(m.warps_per_block)]) if w != r.NONE]
            waiting += sum(int(source.first[k + 1] - state.warps[w].position) for k, w in warps)
    return waiting / max(work, total)
