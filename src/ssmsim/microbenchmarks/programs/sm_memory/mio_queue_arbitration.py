"""Whose instruction is taken next where the queue of memory instructions is full: warps of one sub-core, 16 loads each, all at once.

KIND.BLOCKS.WARPS: BLOCKS blocks of WARPS warps on each SM, an equal part of them in each sub-core. One row for each warp of a
sub-core, in the order of its block's launch: the cycle at which each load was issued since the first of them began; medians
over sub-cores. KIND: ldg, four lines from the L2; own, four lines that the L1 has; lds, four wavefronts of shared memory.
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import i32, u64

LOADS, RUNS = 16, 3
CASES = [
    (kind, blocks, warps)
    for kind in ("ldg", "own", "lds")
    for blocks, warps in ((1, 4), (2, 4), (3, 4), (1, 8), (1, 12))
]


def admit(session: Any) -> dict[str, list[list[int]]]:
    sms, rows = session.sms, {}
    out, count = session.buffer(4096), session.buffer(4096)
    notes, base = session.buffer(sms * 16 * (LOADS + 3) * 8), session.buffer(sms * 16 * LOADS * 512)
    for kind, blocks, warps in CASES:
        for _ in range(RUNS):
            session.gpu.zero(count, 4096)
            session.gpu.synchronize()
            session.launch(
                f"admit_{kind}", blocks * sms, 32 * warps, u64(out), i32(2), u64(base), u64(count), u64(notes)
            )
            session.gpu.synchronize()
            found = session.gpu.download(notes, blocks * sms * warps * (LOADS + 3), np.dtype(np.uint64))
        rows[f"{kind}.{blocks}.{warps}"] = row(found.reshape(blocks * sms, warps, LOADS + 3).astype(np.int64), blocks)
    return rows


def row(found: np.ndarray, blocks: int) -> list[list[int]]:
    """found[block, warp, note]: clocks of the warp's SM, and which that is; SMs that had as many blocks as were meant."""
    of_subcores = []
    numbers, counts = np.unique(found[:, 0, LOADS + 1], return_counts=True)
    for s in numbers[counts == blocks]:
        mine = found[found[:, 0, LOADS + 1] == s]
        times = mine[:, :, 1 : LOADS + 1] - mine[:, :, 0].min()
        of_subcores += [times[:, i::4].reshape(-1, LOADS) for i in range(4)]
    medians: list[list[int]] = np.median(np.array(of_subcores), axis=0).astype(int).tolist()
    return medians


MEASUREMENTS = [admit]
SECONDS = 10
