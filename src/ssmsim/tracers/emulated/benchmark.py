"""`python -m ssmsim.tracers.emulated.benchmark LAUNCH [BLOCKS]`: speed of trace mode, and the memory that it takes.

Prints warp instructions per second of one core's time and of the wall clock (they differ on a shared machine), the
share of instructions that the slice carries out, and the process's peak memory. Compilation by Numba is done before
the clock starts.
"""

import resource
import sys
import time
from pathlib import Path

import numpy as np

from ssmsim.launch import read_launch
from ssmsim.tracers.emulated.source import EmulatedBlocks


def measure(folder: Path, blocks: int = 0) -> str:
    """One line of results; blocks: how many to run, 0 for all, spread over the grid."""
    launch = read_launch(folder)
    EmulatedBlocks(launch, [0]).next_blocks(1)
    order = np.linspace(0, launch.blocks - 1, blocks).astype(np.int64) if blocks else None
    wall, core = time.perf_counter(), time.process_time()
    source = EmulatedBlocks(launch, order)
    executed = carried = 0
    while (trace := source.next_blocks(1 << 20)) is not None:
        assert source.tracing.plan is not None
        computes = np.array(source.tracing.plan.part.computes)
        executed += len(trace.index)
        carried += int(computes[trace.index[:: max(1, len(trace.index) // 100000)]].mean() * len(trace.index))
    wall, core = time.perf_counter() - wall, time.process_time() - core
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"{launch.kernel}: {source.block_count} blocks, {executed / 1e6:.1f} M warp instructions, "
        f"{executed / core / 1e6:.1f} M/s of core time, {executed / wall / 1e6:.1f} M/s of wall time, "
        f"{100 * carried / max(executed, 1):.0f} % carried out, peak {peak:.0f} MB"
    )


if __name__ == "__main__":
    print(measure(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
