"""Additions of all SMs to one line of L2 or a few of one slice, and lone hits in that slice beside them.

several: additions per 1,000 cycles to so many lines of one slice, by the SMs of its partition (own), of the other, or of
both; LANES.LINES.WHO, 8 lanes are a sector. beside: cycles of lone hits while warps of all other SMs add to the line next
to the one that is read, so many cycles apart each; burst: so many additions at once, the hit is asked for 1,500 cycles later.
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import u32, u64
from ssmsim.microbenchmarks.programs.noc.partition_link_bandwidth import LINE, PAGE, Bench

WARPS, SOON, STOP = 4, 60_000, 260_000  # of an SM; cycles: what is issued between them, for the first fill queues
LANES, LINES = (1, 8, 16, 24, 32), (1, 2, 4, 8, 16)
TRIED = 1500  # pages searched for those that have a line of the slice
TOGETHER = 340  # additions per 1,000 cycles: fewer to two lines are of one slice, lines of two take 440
REGION, TARGETS = 8 << 20, (4096, 20_000, 33_332, 51_234)  # bytes; lines of four pages
PACES = (0, 16_000, 5000, 3000, 2300, 2000, 1000)
COUNT, FROM, UNTIL, LAST = 1200, 100_000, 2_000_000, 2_050_000  # reads, at most; cycles
BURSTS, AFTER, TIMES = ((1, 1), (1, 2), (2, 2), (4, 2), (8, 2)), 1500, 40  # (warps of an SM, additions of each)
SHOWN = (25, 50, 75, 95)  # percentiles


def several(session: Any) -> dict[str, Any]:
    """Lines of one slice are found by that two of them do not get twice the additions of one."""
    bench = Bench(session)
    totals, lists = session.buffer(64), session.buffer(4 * TRIED)
    own = bench.prober

    def rate(lines: list[int], lanes: int, who: int) -> float:
        session.gpu.upload(lists, np.array(lines, u32))
        issued = []
        for stop in (SOON, STOP):
            session.gpu.zero(totals, 8)
            session.launch("several", session.sms, 32 * WARPS, u64(bench.base), bench.sides, u32(who), u64(lists),
                           u32(len(lines)), u32(lanes), u32(stop), u64(totals), shared=120 << 10)  # fmt: skip
            session.gpu.synchronize()
            issued.append(int(session.gpu.download(totals, 1, u32)[0]))
        return round(1000 * (issued[1] - issued[0]) / (STOP - SOON), 1)

    first, *pages = (int(page) * (PAGE // LINE) for page in bench.of[own][: TRIED + 1])
    lines = [first, *(line for line in pages if rate([first, line], 32, 1 << own) < TOGETHER)]
    found: dict[str, Any] = {"searched": TRIED, "of_its_slice": len(lines)}
    for lanes in LANES:
        for number in LINES:
            for name, who in (("own", 1 << own), ("other", 2 >> own), ("both", 3)):
                found[f"{lanes}.{number}.{name}"] = rate(lines[:number], lanes, who)
    return found


def percentiles(cycles: np.ndarray) -> list[int]:
    return np.percentile(cycles, SHOWN).round().astype(int).tolist()


def beside(session: Any) -> dict[str, Any]:
    """For each pace and line: additions per 1,000 cycles and percentiles of the hits."""
    base, line, cycles, totals = (session.buffer(n) for n in (REGION, 64, 2 * COUNT, 64))
    session.gpu.zero(base, REGION)
    found: dict[str, Any] = {}
    for pace in PACES:
        rows = []
        for target in TARGETS:
            session.gpu.upload(line, np.array([target + 1], u32))
            session.gpu.zero(totals, 8)
            session.launch("beside", session.sms, 32 * WARPS, u64(cycles), u64(base), u64(line), u32(COUNT), u32(target),
                           u32(pace), u32(FROM), u32(UNTIL), u32(LAST), u64(totals), u32(0), shared=120 << 10)  # fmt: skip
            session.gpu.synchronize()
            adds, reads = session.gpu.download(totals, 2, u32).astype(int).tolist()
            times = session.gpu.download(cycles, reads, np.uint16)
            rows.append([round(1000 * adds / LAST, 1), *percentiles(times)])
        found[str(pace)] = rows
    return found


def burst(session: Any) -> dict[str, Any]:
    """For each number of additions and line: percentiles of the hits."""
    base, word, cycles = session.buffer(REGION), session.buffer(64), session.buffer(2 * TIMES)
    session.gpu.zero(base, REGION)
    found: dict[str, Any] = {}
    for warps, adds in BURSTS:
        rows = []
        for target in TARGETS:
            session.gpu.zero(word, 64)
            session.launch("burst", session.sms, 32 * warps, u64(cycles), u64(base), u64(word), u32(target + 1), u32(target),
                           u32(adds), u32(AFTER), u32(TIMES), u32(0), shared=120 << 10)  # fmt: skip
            session.gpu.synchronize()
            rows.append(percentiles(session.gpu.download(cycles, TIMES, np.uint16)))
        found[str((session.sms - 1) * warps * adds)] = rows
    return found


MEASUREMENTS = [several, beside, burst]
