"""What ncu's warp sampler would have seen: one warp of an SM every 2,048 cycles, each of those that live in turn.

Samples are not in proportion to warp cycles: where few warps live, each is seen more often. On an H200 an SM has one for
2,025 to 2,085 cycles in which it is active, whether it has 7 warps on the average or 56 (stall_samples of 17 kernels in
`traces`). So the tail that one warp of a block runs alone, a fence and an atomic, has up to five times the samples that
its warp cycles would give. ncu counts what a warp waits for at the end (drain) and at DEPBAR at the next instruction.
"""

import csv
from pathlib import Path

import numpy as np

from ssmsim.architecture import SUBCORES
from ssmsim.counters import STALL_REASONS
from ssmsim.engines.embedded.sm.stalls import NOT_SELECTED, SELECTED, WAIT
from ssmsim.engines.embedded.state.machine import State
from ssmsim.engines.embedded.state.records import INDEX, NONE
from ssmsim.files import whole_file
from ssmsim.trace.types import Program

PERIOD = 2048  # cycles of an SM between two samples
STRIDE = 61  # cycles between two looks at all warps; no divisor of a loop's length


class Sampler:
    """Looks at all warps at regular cycles and gives each its share of its SM's samples."""

    def __init__(self, program: Program, state: State) -> None:
        self.program = program
        self.samples = np.zeros((len(program.instructions), len(STALL_REASONS)))
        self.last = int(state.gpu[0].cycle)
        self.sm = np.arange(len(state.warps)) // (SUBCORES * int(state.machine[0].sm.warp_slots_per_subcore))

    def until(self, state: State) -> int:
        """The cycle at which the loop is to pause."""
        return max(int(state.gpu[0].cycle) + 1, self.last + STRIDE)

    def look(self, state: State) -> None:
        """Note what every warp did in the cycle before this one, for the time since the last look.

        Of this cycle nothing has been done. The cycles that the loop has left out, as no warp could issue, were like the last.
        """
        cycle = int(state.gpu[0].cycle)
        if cycle < self.last + STRIDE:
            return
        here = np.flatnonzero(state.warps.block >= 0)
        warps, sm = state.warps[here], self.sm[here]
        share = (cycle - self.last) / PERIOD / np.bincount(sm, minlength=1)[sm]
        self.last = cycle
        asleep = (warps.ready >= cycle) | (warps.held != 0)
        reason = np.where(asleep, np.where(warps.mark >= cycle, WAIT, warps.state), NOT_SELECTED)
        selected = (warps.issued == cycle - 1) & (warps.line != NONE)  # not those that have just been launched
        at = warps.current.astype(np.int64)
        at[selected] = state.stream[warps.position[selected] - 1] & INDEX
        at %= len(self.samples)  # marks stand for instructions (feed/execution_driven.py)
        np.add.at(self.samples, (at, np.where(selected, SELECTED, reason)), share)

    def write(self, path: Path | str) -> None:
        """CSV: pc, reason, samples, as in stall_samples.csv of a workload; raises OSError when it cannot be written."""
        with whole_file(path) as temporary, temporary.open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["pc", "reason", "samples"])
            for reason, name in enumerate(STALL_REASONS):
                for i in np.flatnonzero(self.samples[:, reason] > 0):
                    rows.writerow(
                        [f"{int(self.program.instructions['pc'][i]):#x}", name, f"{self.samples[i, reason]:.3f}"]
                    )
