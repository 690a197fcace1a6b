"""`python -m ssmsim.engines.benchmark LAUNCH [BLOCKS]`: speed of the embedded engine with all SMs busy, and its memory.

Replays the first BLOCKS of a launch/1 folder (0 for all) under the configuration of an H200, cold. Prints warp instructions per
second of one core's time and of the wall clock (they differ on a shared machine), with the tracer's part and without, and the
process's peak memory. Compilation by Numba is done before the clock starts.
"""

import resource
import sys
import time
from pathlib import Path

from ssmsim.config.load import load
from ssmsim.engines import open_engine
from ssmsim.engines.request import Request
from ssmsim.launch import read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer

CONFIG = Path("simconfigs/h200.yaml")


def measure(folder: Path, blocks: int = 0) -> str:
    """One line of results."""
    launch, config, engine, tracer = read_launch(folder), load(CONFIG), open_engine("embedded"), open_tracer("emulated")
    program = decode_launch(launch).program
    engine.simulate(Request(program, tracer.blocks(launch, program, range(1)), launch, config))
    order = range(min(blocks, launch.blocks)) if blocks else None
    core, alone = time.process_time(), tracer.blocks(launch, program, order)
    while alone.next_blocks(1 << 20) is not None:
        pass
    tracing = time.process_time() - core
    wall, core = time.perf_counter(), time.process_time()
    result = engine.simulate(Request(program, tracer.blocks(launch, program, order), launch, config))
    wall, core = time.perf_counter() - wall, time.process_time() - core
    count = result.warp_instructions / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"{folder.name}: {count:.1f} million warp instructions, {count / core:.2f} million/s of one core, "
        f"{count / max(core - tracing, 1e-9):.2f} without the tracer, {count / wall:.2f} of the wall clock, {peak:.0f} MB"
    )


if __name__ == "__main__":
    print(measure(Path(sys.argv[1]), *map(int, sys.argv[2:])))
