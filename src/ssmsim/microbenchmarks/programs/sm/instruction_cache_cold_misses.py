"""Straight-line code run once with the caches flushed, or not, before: what the first pass over code costs (ncu).

N.WARPS.BLOCKS: sm/instruction_fetch_throughput's line of N FFMA, one pass; ncu's cycles that SMs are active, and what
warps wait for.
"""

from collections.abc import Iterator
from typing import Any

from ssmsim.microbenchmarks.case import f32, i32, u64

SOURCE = "sm/instruction_fetch_throughput"
LENGTHS = (64, 256, 1024, 2048, 4096)
GRIDS = ((1, 1), (1, 132), (4, 132), (16, 132), (4, 264))  # warps of a block, blocks
STALLED = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
COUNTERS = ["gpc__cycles_elapsed.max", "sm__cycles_active.avg", "sm__cycles_active.max", "smsp__inst_executed.sum",
            *(STALLED.format(reason) for reason in ("no_instruction", "imc_miss", "short_scoreboard"))]  # fmt: skip
METRICS = [("all", COUNTERS), ("none", COUNTERS)]


def counted(session: Any) -> Iterator[str]:
    """Launches for the profiler."""
    out = session.buffer(1 << 20)
    for length in LENGTHS:
        for warps, blocks in GRIDS:
            session.launch(f"code_{length}", blocks, 32 * warps, u64(out), i32(1), f32(1))
            session.gpu.synchronize()
            yield f"{length}.{warps}.{blocks}"


SECONDS = 120
