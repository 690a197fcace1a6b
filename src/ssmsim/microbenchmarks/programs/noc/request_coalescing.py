"""Loads of one line by SMs of a GPC, up to 512 cycles apart: when they share a request, and how long hits take beside others.

together: of loads so many cycles apart (their SMs' clocks agree within 30), how many ended together, as if at once: by 32
cycles, from the first cycle on. tpc: two SMs of a TPC, two: of two TPCs, four: two TPCs, of which each loads at once. cold:
the lines come from DRAM. busy: SMs of the same GPC, or of all others, stream hits with 16 warps each.
latency: percentiles 0, 5, 25, 50, 75, 95, 100 of the first SM's loads. ends: percentiles 1, 5, 25, 75, 95, 99 of how
much later one ends than the other, less the median, where both began within 25 cycles: the two of a TPC, and of two
TPCs.
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import i32, u32, u64
from ssmsim.microbenchmarks.programs.l2.latency_bandwidth import GPC, sms

ROUNDS, TURN, PERIOD, MB = 4096, 1024, 4000, 1 << 20
BIN, NEAR, SAME = 32, 25, 10  # cycles: of difference, that count as at once, within which ends are together
WHO = {"tpc": GPC[:2], "two": (GPC[0], GPC[2]), "four": GPC[:4]}
OTHERS = {"": (), "gpc": GPC, "rest": tuple(set(range(132)) - set(GPC))}
CASES = [(who, cold, "") for cold in (False, True) for who in WHO] + [("four", False, busy) for busy in ("gpc", "rest")]
EARLY, LATE = [0, 5, 25, 50, 75, 95, 100], [1, 5, 25, 75, 95, 99]


def times(session: Any, who: str, cold: bool, busy: str) -> np.ndarray:
    """[SMs][rounds][begin, cycles]; the later half of the SMs begins -512 to 511 cycles after the others."""
    out, base, stream = session.buffer(4 * ROUNDS * 8), session.buffer(ROUNDS * 4096), session.buffer(16 * MB)
    chosen = WHO[who]
    late = [k >= len(chosen) // 2 for k in range(len(chosen))] + [False] * (4 - len(chosen))
    plan = np.array(
        [*chosen, *[1000] * (4 - len(chosen)), *(-TURN // 2 * k for k in late), *map(int, late)], np.int32
    ).view(u32)
    for _ in range(1 if cold else 3):  # the first ones bring the lines to both partitions
        if cold:
            session.sweep()
        session.launch("joins", session.sms, 512, u64(out), u64(base), u64(4096), i32(ROUNDS), i32(TURN), u32(PERIOD), u32(0), plan,
                       u64(stream), u32(16 * MB), u32(16 if busy else 0), sms(*OTHERS[busy]), shared=120 << 10)  # fmt: skip
        session.gpu.synchronize()
    found = session.gpu.download(out, 4 * ROUNDS * 2, u32).reshape(4, ROUNDS, 2)[: len(chosen)].astype(np.int64)
    session.release()
    return np.asarray(found)


def loads(session: Any) -> dict[str, Any]:
    """What the cases show, as the program's text says."""
    found = {}
    for who, cold, busy in CASES:
        begin, took = np.moveaxis(times(session, who, cold, busy), 2, 0)
        half, ends = len(begin) // 2, begin + took
        apart, later = begin[half] - begin[0], ends[half] - ends[0]
        near = abs(apart) < NEAR
        together = abs(later - np.median(later[near])) < SAME
        row = {
            "together": {int(cycles): round(float(together[apart // BIN * BIN == cycles].mean()), 3)
                         for cycles in np.unique(apart // BIN * BIN)},
            "latency": np.percentile(took[0], EARLY).round().tolist(),
            "ends": {"two": np.percentile(later[near] - np.median(later[near]), LATE).round(1).tolist()},
        }  # fmt: skip
        if who == "four":
            both = ends[1] - ends[0]
            row["ends"]["tpc"] = np.percentile(both - np.median(both), LATE).round(1).tolist()
        found[who + ".cold" * cold + f".{busy}" * bool(busy)] = row
    return found


MEASUREMENTS = [loads]
