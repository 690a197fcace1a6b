"""The second wave of a sampled run starts out of step, as waves are in the middle of most runs.

Blocks of the first wave start together and ask for the same at the same time. In whole runs that wears off within some
eight waves (chunk_state_fwd of mamba2-8b: 18,500 cycles per wave at first, then 16,200; on an H200 the middle half of a wave's
blocks starts within 26 % of a wave at first, from the seventh wave on within 50 %), which a sampled run does not have:
the rate of blocks in step would be taken for that of all. So the slots of the first wave are given away at even intervals.
What happens until the waves after it are under way is left out of the estimate (sample.py), its work counting as skipped.

Blocks that all take as long stay in step (chunk_state_bwd_db: there 5 % at first and 8 % eight waves later). When the first
wave ends as closely together as that, the rest of its slots are given away at once.
"""

from ssmsim.engines.embedded import records as r
from ssmsim.engines.embedded.estimate import Meter
from ssmsim.engines.embedded.machine import State

LOOK = 64  # cycles
NEVER = 1 << 62
SPREAD = 0.75  # of the time that the first block takes: the last slot is given away before the first is free again
# Nine tenths of the first wave that end within this part of its time are in step: 0.09 to 0.15 in launches that stay so,
# 0.2 and more in those that do not.
IN_STEP = 0.18


class Stagger:
    """Watches the launches (see simulate.run_to_end); wave: blocks that run in the time of one.

    began: cycle in which the second wave starts to be launched, 0 before.
    """

    def __init__(self, meter: Meter, wave: int) -> None:
        self.meter, self.wave, self.began, self.done = meter, wave, 0, False
        self.before_fp = 0

    def until(self, state: State) -> int:
        return NEVER if self.done else int(state.gpu[0].cycle) + LOOK

    def look(self, state: State) -> None:
        gpu, m = state.gpu[0], state.machine[0]
        if self.done or gpu.next_launch <= self.wave:
            return
        took = (self.began or int(gpu.cycle)) - int(m.start)
        if not self.began:
            self.began, self.before_fp = int(gpu.cycle), int(m.successor_fp)
            m.successor_fp = max(self.before_fp, int(SPREAD * took * (1 << r.FP)) // self.wave)
        in_step = gpu.blocks_done >= 0.9 * self.wave and gpu.cycle - self.began < IN_STEP * took
        if in_step:
            self.meter.full_from = self.wave + 3 * self.wave // 4
        if in_step or gpu.next_launch >= 2 * self.wave:
            self.done = True
            m.successor_fp = gpu.launch_free_fp = self.before_fp
