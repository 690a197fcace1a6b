"""When loads from global memory take the SM's unit for shared memory: as they are issued, or as their data come.

KIND.BESIDE.WARPS.WHERE: each of WARPS warps issues 20 loads in a row from L2 or DRAM. BESIDE: eight warps that load 16
bytes a lane from shared memory and keep the unit busy (busy), or four with a chain of loads (chain). issued, there:
cycles from the first load until the last is issued and until its data are there, on the mean. apart: mean cycles from
one load from shared memory of a warp to its next, by steps of 64 cycles from 128 before the first load on; of 12 runs.
KIND: ldg128 four lines, cg128 past the L1, ldg64 two, ldg32 one, rows32 a quarter of each of four lines, line128 one
line for all 16 bytes of each lane, stored: as ldg128, and what came is stored to shared memory.
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import i32, u32, u64

KINDS = ("ldg128", "cg128", "ldg64", "ldg32", "rows32", "line128", "stored")
PROBERS = {"busy": (0xFF0, 0), "chain": (0xF0, 1)}
BURSTERS = {1: 0x1, 4: 0xF}
THREADS, SHARED, NOTES, STEP, BEFORE, STEPS, RUNS = 384, 72 << 10, 60, 64, 2, 24, 12


def bursts(session: Any) -> dict[str, dict[str, Any]]:
    out, notes, base = session.buffer(32 * 12), session.buffer(8 * 64 * 12), session.buffer(1 << 30)
    place, rows = 0, {}
    for kind in KINDS:
        for where in ("l2", "dram"):
            for beside, (probers, chain) in PROBERS.items():
                for warps, bursters in BURSTERS.items():
                    runs = []
                    for _ in range(1 + RUNS):
                        place += (1 << 20) * (where == "dram")
                        session.launch(
                            f"bursts_{kind}", 1, THREADS, u64(out), i32(2), u64(base + place), u64(notes), u32(probers),
                            u32(bursters), u32(10), u32(chain), shared=SHARED,
                        )  # fmt: skip
                        session.gpu.synchronize()
                        runs.append(session.gpu.download(notes, 64 * 12, np.dtype(np.uint64)).reshape(12, 64))
                    rows[f"{kind}.{beside}.{warps}.{where}"] = row(np.array(runs[1:]).astype(np.int64), warps, chain)
    return rows


def row(runs: np.ndarray, warps: int, chain: int) -> dict[str, Any]:
    """runs[run, warp, note]: clock."""
    probers = slice(4, 8 if chain else 12)
    first = runs[:, :warps, 0].min(axis=1)[:, None, None]
    loads = runs[:, :warps, :3] - first
    times = runs[:, probers, :NOTES] - first
    apart = np.diff(times, axis=2)
    steps = (times[:, :, :-1] + apart // 2) // STEP + BEFORE
    return {
        "issued": round(float((runs[:, :warps, 1] - runs[:, :warps, 0]).mean()), 1),
        "there": round(float(loads[:, :, 2].mean()), 1),
        "apart": [
            round(float(apart[steps == step].mean()), 1) if (steps == step).any() else None for step in range(STEPS)
        ],
    }


MEASUREMENTS = [bursts]
SECONDS = 60
