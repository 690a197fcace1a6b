"""All SMs as fast as they can at one slice of L2, at all slices, or at DRAM: what each SM gets done, of the mean.

clusters: SMs that were seen in one cluster of 8, so in one GPC. got: for each pattern the share of every SM, and how much two
runs differ.
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import u32, u64

WARPS, RUNS, CLUSTERS, TIMES = 8, 4, 128, 20
ADDS, HITS, STORES, READS, WRITES = range(5)
PATTERNS = {  # what, cycles, bytes of each warp
    "adds of a slice": (ADDS, 200_000, 4096),
    "hits of a slice": (HITS, 200_000, 4096),
    "stores of a slice": (STORES, 200_000, 4096),
    "L2 reads": (READS, 200_000, 16 << 10),
    "L2 writes": (WRITES, 200_000, 8 << 10),
    "DRAM reads": (READS, 400_000, 8 << 20),
    "DRAM writes": (WRITES, 400_000, 8 << 20),
}


def clusters(session: Any) -> list[list[int]]:
    """Sets of SMs that clusters of 8 join, largest first."""
    out = session.buffer(4 * 8 * CLUSTERS)
    of = np.arange(session.sms)
    for _ in range(TIMES):
        session.launch("together", 8 * CLUSTERS, 128, u64(out), shared=100 << 10)
        session.gpu.synchronize()
        for row in session.gpu.download(out, 8 * CLUSTERS, u32).reshape(-1, 8).astype(int):
            of[np.isin(of, of[row])] = of[row].min()
    return sorted((np.flatnonzero(of == first).tolist() for first in np.unique(of)), key=len, reverse=True)


def got(session: Any) -> dict[str, Any]:
    """Shares of the SMs, all begin together."""
    base = session.buffer(session.sms * WARPS * (8 << 20) + (64 << 20), zero=False)
    done = session.buffer(session.sms * WARPS * 16)
    found: dict[str, Any] = {}
    for name, (what, cycles, bytes_) in PATTERNS.items():
        runs = []
        for _ in range(RUNS):
            session.launch("share", session.sms, 32 * WARPS, u64(base), u32(what), u32(cycles), u32(bytes_), u64(done), u32(0),
                           shared=120 << 10)  # fmt: skip
            session.gpu.synchronize()
            rows = session.gpu.download(done, session.sms * WARPS * 2, u64).reshape(-1, 2).astype(np.int64)
            runs.append(np.bincount(rows[:, 1], rows[:, 0], session.sms))
        mean = np.mean(runs[1:], 0)
        found[name] = {
            "shares": np.round(mean / mean.mean(), 3).tolist(),
            "differ": round(float(np.abs(runs[-1] - runs[-2]).mean() / mean.mean()), 4),
        }
    return found


MEASUREMENTS = [clusters, got]
