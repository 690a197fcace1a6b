"""Whose warps issue first: blocks of one loop side by side on every SM, one or two warps of each in a sub-core.

KERNEL.WARPS, warps per block: when the blocks of an SM end, in the order of their numbers, which is that of their launch, in
cycles from the first start, mean of the SMs. One after the other: the older block's warps go first. Together: they have
turns. `within`: cycles between the first and the last warp of a block and sub-core to end. reused: the first block has a
quarter of the work and a fifth takes its place; where the fifth ends last, it is the age of blocks that counts, not their
place.
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import i32, u64
from ssmsim.microbenchmarks.gpu import RECORD

SMS, RESIDENT, SHARED, ROUNDS = 132, 4, 50 << 10, 200
KERNELS = ("alu", "fp32", "heavy", "special", "both", "store", "load")
KEPT = ("alu", "heavy", "both", "special", "store")


def ends(session: Any) -> dict[str, Any]:
    return {
        f"{kernel}.{warps}": summary(*run(session, kernel, warps, RESIDENT)) for kernel in KERNELS for warps in (4, 8)
    }


def reused(session: Any) -> dict[str, Any]:
    return {f"{kernel}.4": summary(*run(session, kernel, 4, RESIDENT + 1)) for kernel in KERNELS}


def run(session: Any, kernel: str, warps: int, blocks: int) -> tuple[np.ndarray, int]:
    """(records of the second run, [blocks, warps]; blocks of an SM)."""
    grid = SMS * blocks
    out = session.buffer(grid * warps * RECORD.itemsize)
    for _ in range(2):
        brief = SMS if blocks > RESIDENT else 0
        session.launch(kernel, grid, 32 * warps, u64(out), i32(ROUNDS), i32(brief), shared=SHARED)
        session.gpu.synchronize()
    record = session.gpu.download(out, grid * warps, RECORD).reshape(grid, warps)
    session.release()
    return record, blocks


def summary(record: np.ndarray, blocks: int) -> dict[str, Any]:
    """Of SMs that had so many blocks. Warps of a block are in sub-cores by turns."""
    start, end, sms = (
        record["start"].min(1).astype(np.int64),
        record["end"].max(1).astype(np.int64),
        record["smid"][:, 0],
    )
    found = []
    for s in np.unique(sms):
        mine = np.flatnonzero(sms == s)
        if len(mine) == blocks:
            found.append(end[mine] - start[mine].min())
    each = record["end"].astype(np.int64).reshape(len(record), -1, 4)
    return {
        "sms": len(found),
        "ends": np.mean(found, 0).round(1).tolist(),
        "deviation": np.std(found, 0).round(1).tolist(),
        "within": float((each.max(1) - each.min(1)).mean().round(1)),
    }


MEASUREMENTS = [ends, reused]
