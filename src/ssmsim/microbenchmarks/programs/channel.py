"""One slice of L2 and its DRAM: which lines share a bank or a slice, told by pairs of loads; lone reads and hits under load.

late: cycles that a line takes beyond its usual read, in the median, when a given line was loaded so many cycles before it.
A line of the same bank comes late, one of the same slice a little sooner than alone: the given one has woken its channels.
loaded: lone reads of lines of a slice, and hits in it, while warps of all other SMs read a line of it each.
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import i32, u32, u64

LINE, REGION = 128, 32 << 20  # bytes; the TLB has so many
MANY, FEW = 12_288, 5  # lines tried for one of the given line's bank, reads of each
GIVEN, GAP, LATE = 12_345, 60, 25  # the line; cycles between the two loads; later than this: the same bank
GAPS = (4, 8, 12, 16, 24, 32, 48, 64, 80, 96, 112, 128, 160)
OFTEN = 61  # reads of each line of few
SOONER = -7  # cycles: at most so much of its usual read a line of the same slice takes
SEARCHED, SEARCHES = 110_000, 13  # lines searched for those of the slice, reads of each
OWN, PER_SM = 32, 5  # lines of the lone reads; of each other SM
CELLS = {"idle": (0, 0), "1.1500": (1, 1500), "1.800": (1, 800), "1.400": (1, 400), "1": (1, 0), "2.1200": (2, 1200),
         "2": (2, 0), "3": (3, 0), "4": (4, 0), "5": (5, 0)}  # fmt: skip
COUNT, FROM, UNTIL, STOP = 2000, 200_000, 4_200_000, 4_300_000  # lone reads, at most; cycles
SHOWN = (5, 25, 50, 75, 90, 95)  # percentiles


class Bench:
    """Memory and pairs of loads."""

    def __init__(self, session: Any) -> None:
        self.session, self.gpu = session, session.gpu
        self.base = session.buffer(REGION)
        self.lists, self.cycles = session.buffer(4 * SEARCHED), session.buffer(2 * SEARCHED * SEARCHES)
        self.lines = np.random.default_rng(1).permutation(REGION // LINE)[:SEARCHED]
        self.totals = session.buffer(64)

    def usual(self, lines: np.ndarray, gap: int, tries: int) -> np.ndarray:
        """Median cycles of each line, the given one loaded `gap` cycles before; alone when gap is negative."""
        self.gpu.upload(self.lists, lines.astype(u32))
        self.session.launch("pairs", 1, 64, u64(self.cycles), u64(self.base), u64(self.lists), i32(len(lines)), u32(GIVEN),
                            i32(gap), i32(tries), u32(0))  # fmt: skip
        self.gpu.synchronize()
        cycles = self.gpu.download(self.cycles, len(lines) * tries, np.uint16).reshape(tries, len(lines))
        return np.median(cycles.astype(int), axis=0)

    def late(self, lines: np.ndarray, gap: int, tries: int) -> np.ndarray:
        """Cycles that lines come later than alone."""
        return self.usual(lines, gap, tries) - self.usual(lines, -1, tries)

    def alone(self, lines: np.ndarray, warps: int, pace: int, hit: bool) -> dict[str, Any]:
        """Lone reads of the first of these lines (of one slice) while others read one of the rest each."""
        self.gpu.upload(self.lists, lines.astype(u32))
        self.gpu.zero(self.totals, 8)
        self.session.launch("alone", self.session.sms if warps else 1, 32 * max(1, warps), u64(self.cycles), u64(self.base),
                            u64(self.lists), u32(OWN), u32(hit), u32(COUNT), u32(pace), u32(FROM), u32(UNTIL), u32(STOP),
                            u64(self.totals), u32(0), shared=120 << 10)  # fmt: skip
        self.gpu.synchronize()
        reads, timed = self.gpu.download(self.totals, 2, u32).astype(int).tolist()
        cycles = self.gpu.download(self.cycles, timed, np.uint16).astype(int)
        return {"lines_per_1000_cycles": 1000 * reads / STOP, "percentiles": np.percentile(cycles, SHOWN).tolist()}


def banks(session: Any) -> dict[str, Any]:
    """How many lines share the given one's bank; how late they, and the other line of its 256 bytes, come by gap."""
    bench = Bench(session)
    bench.usual(bench.lines[:MANY], -1, 1)  # TLB
    first = bench.late(bench.lines[:MANY], GAP, FEW)
    found = bench.lines[:MANY][first > LATE]
    found = found[bench.late(found, GAP, OFTEN) > LATE]
    pair = np.array([GIVEN ^ 1])
    return {
        "lines": MANY,
        "of_its_bank": len(found),
        "late": {str(gap): bench.late(found, gap, OFTEN).tolist() for gap in GAPS},
        "other_of_256": {str(gap): float(bench.late(pair, gap, OFTEN)[0]) for gap in GAPS},
    }


def slice_lines(bench: Bench) -> np.ndarray:
    """Lines of the given line's slice, found twice."""
    bench.usual(bench.lines, -1, 1)  # TLB
    found = bench.lines[bench.late(bench.lines, GAP, SEARCHES) <= SOONER]
    late = bench.late(found, GAP, OFTEN)
    return found[(late <= SOONER) & (late > -LATE)]


def loaded(session: Any) -> dict[str, Any]:
    """Lone reads and hits in one slice, by what the others read of it."""
    bench = Bench(session)
    lines = slice_lines(bench)
    needed = OWN + (session.sms - 1) * PER_SM
    found: dict[str, Any] = {"searched": SEARCHED, "of_its_slice": len(lines)}
    if len(lines) < needed:
        raise RuntimeError(f"{len(lines)} lines of one slice, but {needed} are needed")
    usual = bench.usual(lines[:OWN], -1, OFTEN)
    found["usual"] = usual.tolist()
    for name, (warps, pace) in CELLS.items():
        found[name] = {kind: bench.alone(lines, warps, pace, kind == "hits") for kind in ("reads", "hits")}
    return found


MEASUREMENTS = [banks, loaded]
