"""How many copies of an SM may be on their way, and whom they wait for: what warps ask the host's memory for, 2,400 cycles away.

NEAR.FAR.LOADS.WARPS: WARPS warps, up to four of a sub-core each, ask for NEAR, one after the other, while FAR of
another warp is on its way and LOADS loads of others. issued: how many were, of all, before the longest stop, which
lasts from last to next; all: cycle of the last one; medians of 12 runs. NEAR: ca4 a line from L2 through the L1, hit4
one that the L1 has, zero4 zeros, cg16 four lines from L2 past the L1; stg a store, hit a load that the L1 has, ldg one
from L2. FAR: ldg a load, ca4 and cg16 copies, atom, stg a store, none.
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import i32, u32, u64

THREADS, SHARED, NOTES, CROWD, RUNS = 384, 100 << 10, 44, 16, 12
WARPS = {1: 0b10, 2: 0b110, 4: 0b11110, 11: 0xFFE}  # up to four: one of each sub-core
CASES = [  # near, far, warps with 16 far loads, near warps, groups of eight before those that are noted
    ("ca4", "none", 0, 4, 6), ("ca4", "ldg", 0, 4, 6), ("ca4", "ldg", 0, 2, 14), ("ca4", "ldg", 0, 1, 30), ("ca4", "ca4", 0, 4, 6),
    ("ca4", "cg16", 0, 4, 6), ("ca4", "atom", 0, 4, 6), ("ca4", "stg", 0, 4, 6),
    ("ca4", "ldg", 1, 4, 6), ("ca4", "ldg", 2, 4, 6), ("ca4", "ldg", 4, 4, 5), ("ca4", "ldg", 6, 4, 4),
    ("hit4", "ldg", 0, 4, 11), ("zero4", "ldg", 0, 4, 11), ("cg16", "ldg", 0, 4, 11), ("hit4", "ldg", 0, 2, 24),
    ("zero4", "ldg", 0, 2, 24), ("cg16", "ldg", 0, 2, 24), ("stg", "ldg", 0, 4, 11), ("hit", "ldg", 0, 4, 30),
    ("ldg", "ldg", 0, 11, 0), ("ldg", "none", 0, 11, 0),
]  # fmt: skip


def places(session: Any) -> dict[str, dict[str, Any]]:
    out, notes, base = session.buffer(32 * 12), session.buffer(8 * 64 * 12), session.buffer(16 << 20)
    host, at, rows = session.gpu.host(512 << 20), 0, {}
    for near, far, crowd, warps, before in CASES:
        runs = []
        for _ in range(1 + RUNS):
            session.launch(
                f"places_{near}_{far}", 1, THREADS, u64(out), i32(2), u64(base), u64(host + at), u64(notes), u32(WARPS[warps]),
                u32(((1 << crowd) - 1) << 5), u32(before), shared=SHARED,
            )  # fmt: skip
            session.gpu.synchronize()
            runs.append(session.gpu.download(notes, 64 * 12, np.dtype(np.uint64)).reshape(12, 64))
            at += 1 << 20
        rows[f"{near}.{far}.{crowd * CROWD}.{warps}"] = row(np.array(runs[1:]).astype(np.int64), warps, before)
    return rows


def row(runs: np.ndarray, warps: int, before: int) -> dict[str, Any]:
    """runs[run, warp, note]: cycles since the round began."""
    times = np.sort(runs[:, 1 : 1 + warps, :NOTES].reshape(len(runs), -1))
    at = np.diff(times).argmax(axis=1)
    each = np.arange(len(runs))
    return {
        "issued": int(np.median(at + 1)) + 8 * before * warps,
        "last": int(np.median(times[each, at])),
        "next": int(np.median(times[each, at + 1])),
        "all": int(np.median(times[:, -1])),
    }


MEASUREMENTS = [places]
SECONDS = 30
