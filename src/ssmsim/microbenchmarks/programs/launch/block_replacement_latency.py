"""Cycles that a block's place on an SM stays empty before the next block, for blocks of unlike lives.

By threads per block and what limits the blocks on an SM: shared memory, registers or both. `gap` is the mean over all
places from a block's last warp's end to its successor's first start; `sub_cores`: blocks by the sub-cores of their warps.
"""

from collections import Counter
from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import i32, u64
from ssmsim.microbenchmarks.gpu import RECORD

SMS, PER_SM = 132, 60
CASES = [("varied", threads, kib) for threads in (32, 64, 96, 128, 256) for kib in (36, 50)] + [
    ("varied_registers", threads, kib) for threads in (32, 64, 96, 128) for kib in (0, 36)
]


def gaps(session: Any) -> dict[str, Any]:
    found = {}
    for kernel, threads, kib in CASES:
        warps, grid = threads // 32, SMS * PER_SM
        out = session.buffer(grid * warps * RECORD.itemsize)
        for _ in range(2):
            session.launch(kernel, grid, threads, u64(out), i32(4000), i32(6000), shared=kib << 10)
            session.gpu.synchronize()
        record = session.gpu.download(out, grid * warps, RECORD).reshape(grid, warps)
        session.release()
        found[f"{kernel}.{warps}.{kib}KB"] = summary(record)
    return found


def summary(record: np.ndarray) -> dict[str, Any]:
    """record: RECORD[blocks, warps]."""
    start, end = record["start"].min(1).astype(np.int64), record["end"].max(1).astype(np.int64)
    residents, gap = [], []
    for s in np.unique(record["smid"][:, 0]):
        mine = record["smid"][:, 0] == s
        starts, ends = np.sort(start[mine]), np.sort(end[mine])
        here = int((starts < ends[0]).sum())
        residents.append(here)
        gap += (starts[here:] - ends[: len(starts) - here]).tolist()
    sub_cores = Counter("".join(map(str, sorted(row & 3))) for row in record["sink"])
    return {
        "resident": float(np.mean(residents)),
        "gap_mean": float(np.mean(gap)),
        "gap_median": float(np.median(gap)),
        "gap_p10": float(np.percentile(gap, 10)),
        "gap_p90": float(np.percentile(gap, 90)),
        "life_mean": float((end - start).mean()),
        "sub_cores": dict(sub_cores.most_common(12)),
    }


MEASUREMENTS = [gaps]
