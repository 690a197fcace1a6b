"""Warp slots of successive blocks: which sub-core a block's first warp gets, and whether the others follow in turn.

By warps per block, shared memory (which bounds the blocks on an SM) and lives: `even` blocks of one life, `varied` ones of
many, `uneven` ones whose first warp outlives the others. `steps`: sub-cores from the first warp of one block to that of the
next one of its SM, in the order of their starts, without the blocks that start on an empty SM. `turn`: the share of blocks
whose warps lie in sub-cores in turn. `first`: slots of the blocks that start on an empty SM, in their order, of one SM.
"""

from collections import Counter
from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import i32, u64
from ssmsim.microbenchmarks.gpu import RECORD

SMS, PER_SM = 132, 60
LIVES = {"even": (4000, 4000, 0), "varied": (4000, 4000, 6000), "uneven": (9000, 3000, 2000)}  # cycles
WARPS, KIB = (1, 2, 3, 4, 5, 6, 8, 12, 16, 32), (0, 36)
SHOWN = 24  # blocks


def allocation(session: Any) -> dict[str, Any]:
    found = {}
    for name, lives in LIVES.items():
        for warps in WARPS:
            for kib in KIB:
                record = launched(session, warps, kib, lives)
                found[f"{name}.{warps}.{kib}KB"] = summary(record)
    return found


def launched(session: Any, warps: int, kib: int, lives: tuple[int, int, int]) -> np.ndarray:
    """RECORD[blocks, warps] of one launch, after one like it. lives: cycles of first warps, of others, spread."""
    grid = SMS * PER_SM
    out = session.buffer(grid * warps * RECORD.itemsize)
    for _ in range(2):
        session.launch("slots", grid, 32 * warps, u64(out), *(i32(n) for n in lives), shared=kib << 10)
        session.gpu.synchronize()
    record = session.gpu.download(out, grid * warps, RECORD).reshape(grid, warps)
    session.release()
    return record


def summary(record: np.ndarray) -> dict[str, Any]:
    """record: RECORD[blocks, warps]."""
    steps, turns, shown = Counter[int](), 0, list[Any]()
    for s in np.unique(record["smid"][:, 0]):
        mine = record[record["smid"][:, 0] == s]
        mine = mine[np.argsort(mine["start"].min(1), kind="stable")]
        resident = int((mine["start"].min(1) < mine["end"].max(1).min()).sum())
        cores = mine["sink"] & 3
        steps.update(((cores[resident:, 0] - cores[resident - 1 : -1, 0]) & 3).tolist())
        turns += int((((cores - cores[:, :1]) & 3) == np.arange(cores.shape[1]) % 4).all(1).sum())
        shown = shown or mine["sink"][:SHOWN].tolist()
    return {"steps": {str(k): steps[k] for k in sorted(steps)}, "turn": turns / len(record), "first": shown}


MEASUREMENTS = [allocation]
