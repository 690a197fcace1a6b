"""Block scheduler: which SM gets which block, when, at what rate; GPC membership; kernel start and end overhead."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import i32, u64
from ssmsim.microbenchmarks.gpu import RECORD


def stamps(session: Any, kernel: str, grid: int, threads: int, hold: int, shared: int = 0) -> np.ndarray:
    out = session.buffer(grid * RECORD.itemsize)
    for _ in range(2):
        session.launch(kernel, grid, threads, u64(out), i32(hold), shared=shared)
        session.gpu.synchronize()
    record = session.gpu.download(out, grid, RECORD)
    session.release()
    return record


LONG = 20000  # cycles of life, against which what comes before and after does not count


def order(session: Any) -> list[dict[str, Any]]:
    """SM and start (cycles of its SM's clock and ns) of every block, for several grids and block sizes.

    As kept, cycles from the first start in the SM's GPC: within a GPC the clocks agree, beyond it they do not. SMs in
    no cluster count as one.
    """
    found = []
    for kernel, grid, threads, hold, shared in (
        ("stamp", 132, 128, LONG, 0),
        ("stamp", 264, 128, LONG, 0),
        ("stamp", 1056, 128, LONG, 0),
        ("stamp", 1056, 256, LONG, 0),
        ("stamp", 528, 1024, LONG, 0),
        ("stamp", 660, 256, LONG, 200 << 10),
        ("stamp", 660, 256, LONG, 100 << 10),
        ("stamp", 660, 256, LONG, 64 << 10),
        ("stamp", 4224, 32, LONG, 0),
        ("stamp_registers", 660, 256, LONG, 0),
        ("stamp", 2640, 128, 0, 0),
        ("stamp", 2640, 128, 500, 100 << 10),
    ):
        record = stamps(session, kernel, grid, threads, hold, shared)
        found.append(
            {
                "kernel": kernel,
                "grid": grid,
                "threads": threads,
                "hold": hold,
                "shared": shared,
                "smid": record["smid"].tolist(),
                "start": (record["start"] - record["start"].min()).tolist(),
                "ns": (record["global"] - record["global"].min()).tolist(),
            }
        )
        if hold < LONG:  # else it says how long a block lived
            found[-1]["life"] = (record["end"] - record["start"]).tolist()
    return found


def warps(session: Any) -> list[dict[str, Any]]:
    """Start of every warp of one SM, in cycles from the first: pace of warp launches and of following blocks."""
    found = []
    for grid, threads, shared in (
        (132, 32, 0),
        (132, 128, 0),
        (132, 256, 0),
        (132, 512, 0),
        (132, 1024, 0),
        (264, 1024, 0),
        (528, 512, 0),
        (1056, 256, 0),
        (1056, 128, 0),
        (660, 1024, 200 << 10),
        (660, 256, 200 << 10),
    ):
        out = session.buffer(grid * threads)
        for _ in range(2):
            session.launch("stamp_warps", grid, threads, u64(out), i32(20000), shared=shared)
            session.gpu.synchronize()
        record = session.gpu.download(out, grid * threads // 32, RECORD)
        session.release()
        mine = record[record["smid"] == record["smid"][0]]
        block = (np.flatnonzero(record["smid"] == record["smid"][0]) * 32 // threads).tolist()
        found.append(
            {
                "grid": grid,
                "threads": threads,
                "shared": shared,
                "block": block,
                "start": (mine["start"] - mine["start"].min()).tolist(),
                "end": (mine["end"] - mine["start"].min()).tolist(),
            }
        )
    return found


def clusters(session: Any) -> dict[str, Any]:
    """SMs seen together in clusters: GPCs (clusters of 8) and TPCs (clusters of 2)."""
    found: dict[str, Any] = {}
    for size in (2, 8):
        group: dict[int, set[int]] = {}
        for _ in range(6):
            record = stamps(session, f"cluster{size}", 128 * 8, 128, 3000, 100 << 10)
            for i in range(0, len(record), size):
                together = [int(s) for s in record["smid"][i : i + size]]
                merged = set(together).union(*(group.get(s, set()) for s in together))
                for s in merged:
                    group[s] = merged
        found[str(size)] = sorted({tuple(sorted(g)) for g in group.values()})
    return found


def empty(session: Any) -> dict[str, list[float]]:
    """Microseconds between events around an empty kernel, by blocks x threads: the slope is the block launch rate."""
    found = {}
    for threads in (32, 128, 256, 512, 1024):
        for grid in (1, 132, 1320, 13200, 132000, 1320000):
            times = [session.timed("empty", grid, threads, i32(0)) * 1e3 for _ in range(6)]
            found[f"{grid}x{threads}"] = times[1:]
    return found


def counted(session: Any) -> Iterator[str]:
    """Launches for the profiler: empty kernels and blocks of known life."""
    out = session.buffer(1 << 24)
    for threads in (32, 128, 256, 1024):
        for grid in (1, 132, 264, 1056, 4224, 16896):
            session.launch("empty", grid, threads, i32(0))
            session.gpu.synchronize()
            yield f"empty.{grid}x{threads}"
    for kernel in ("hold", "stamp"):
        for grid, threads, cycles, shared in (
            (1, 128, 10000, 0),
            (132, 128, 10000, 0),
            (132, 1024, 10000, 0),
            (264, 128, 10000, 200 << 10),
            (660, 128, 10000, 200 << 10),
            (1320, 128, 10000, 200 << 10),
            (1320, 128, 1000, 200 << 10),
            (660, 1024, 10000, 200 << 10),
            (1320, 1024, 10000, 200 << 10),
            (1320, 256, 1000, 100 << 10),
            (2640, 256, 1000, 100 << 10),
            (2640, 256, 1000, 0),
            (5280, 256, 1000, 0),
        ):
            session.launch(
                kernel, grid, threads, *([u64(out)] if kernel == "stamp" else []), i32(cycles), shared=shared
            )
            session.gpu.synchronize()
            yield f"{kernel}.{grid}x{threads}.hold{cycles}.shared{shared}"


METRICS = [
    (
        "none",
        [
            "gpc__cycles_elapsed.max",
            "sm__cycles_active.max",
            "sm__cycles_active.avg",
            "gpu__time_duration.sum",
            "smsp__inst_executed.sum",
        ],
    ),
    (
        "all",
        [
            "gpc__cycles_elapsed.max",
            "sm__cycles_active.max",
            "sm__cycles_active.avg",
            "gpu__time_duration.sum",
            "smsp__inst_executed.sum",
        ],
    ),
]
MEASUREMENTS = [clusters, order, warps, empty]
