"""One slice of L2 and its DRAM: which lines share a bank or a slice, told by pairs of loads; lone reads and hits under load.

late: cycles that a line takes beyond its usual read, in the median, when a given line was loaded so many cycles before it.
A line of the same bank comes late, one of the same slice a little sooner than alone: the given one has woken its channels.
loaded: lone reads of lines of a slice, and hits in it, while warps of all other SMs read a line of it each.
rows: the lines of a slice by bank (told by pairs), the phases of their refresh, the granules of 256 bytes of one bank, and
what one bank and several give (64 bytes or whole lines of as many readers; lone reads of a bank that no other reads).
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import i32, u32, u64
from ssmsim.microbenchmarks.programs.dram.refresh_timing import (
    ALONE,
    coarse_period,
    dropped,
    fine_period,
    phases,
    slow_reads,
)

LINE, REGION = 128, 32 << 20  # bytes; the TLB has so many
MANY, FEW = 12_288, 5  # lines tried for one of the given line's bank, reads of each
GIVEN, GAP, LATE = 12_345, 60, 25  # the line; cycles between the two loads; later than this: the same bank
GAPS = (4, 8, 12, 16, 24, 32, 48, 64, 80, 96, 112, 128, 160)
OFTEN = 61  # reads of each line of few
SOONER = -7  # cycles: at most so much of its usual read a line of the same slice takes
SEARCHED, SEARCHES = REGION // LINE, 13  # lines searched for those of the slice, reads of each
OWN, PER_SM = 32, 5  # lines of the lone reads; of each other SM
CELLS = {"idle": (0, 0), "1.1500": (1, 1500), "1.800": (1, 800), "1.400": (1, 400), "1": (1, 0), "2.1200": (2, 1200),
         "2": (2, 0), "3": (3, 0), "4": (4, 0), "5": (5, 0)}  # fmt: skip
COUNT, FROM, UNTIL, STOP = 2000, 200_000, 4_200_000, 4_300_000  # lone reads, at most; cycles
SHOWN = (5, 25, 50, 75, 90, 95)  # percentiles
TRIES, REFRESHED = 21, 300  # reads of a line beside one of each bank; of each to see its refresh
TICKS = 52  # parts of a refresh interval that phases are counted in
ROW = 8  # lines of a row: four granules of two, which follow each other in their bank
SPREADS = [(1, 1), (1, 8), (4, 1), (8, 1), (12, 1), (12, 2), (12, 4), (12, 8)]  # rows of one bank, readers of each
# Banks, readers of each.
CROWDS = [(1, 16), (1, 32), (4, 16), (4, 32), (8, 16), (8, 32), (16, 4), (16, 8), (16, 16), (16, 32)]  # fmt: skip


class Bench:
    """Memory and pairs of loads."""

    def __init__(self, session: Any) -> None:
        self.session, self.gpu = session, session.gpu
        self.base = session.buffer(REGION)
        self.lists, self.cycles = session.buffer(4 * SEARCHED), session.buffer(2 * SEARCHED * SEARCHES)
        self.lines = np.random.default_rng(1).permutation(REGION // LINE)[:SEARCHED]
        self.totals = session.buffer(64)

    def usual(self, lines: np.ndarray, gap: int, tries: int, given: int = GIVEN) -> np.ndarray:
        """Median cycles of each line, the given one loaded `gap` cycles before; alone when gap is negative."""
        self.gpu.upload(self.lists, lines.astype(u32))
        self.session.launch("pairs", 1, 64, u64(self.cycles), u64(self.base), u64(self.lists), i32(len(lines)), u32(given),
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

    def crowd(self, own: np.ndarray, lines: np.ndarray, lanes: int) -> dict[str, Any]:
        """Lone reads of `own` lines while a warp reads each of the others: its first `lanes` words."""
        own = own[np.arange(OWN) % len(own)]
        self.gpu.upload(self.lists, np.concatenate([own, lines]).astype(u32))
        self.gpu.zero(self.totals, 8)
        warps = -(-len(lines) // (self.session.sms - 1))
        self.session.launch("crowd", self.session.sms, 32 * warps, u64(self.cycles), u64(self.base), u64(self.lists),
                            u32(OWN), u32(COUNT), u32(len(lines)), u32(lanes), u32(FROM), u32(UNTIL), u32(STOP),
                            u64(self.totals), u32(0), shared=120 << 10)  # fmt: skip
        self.gpu.synchronize()
        reads, timed = self.gpu.download(self.totals, 2, u32).astype(int).tolist()
        cycles = self.gpu.download(self.cycles, timed, np.uint16).astype(int)
        return {"readers": len(lines), "lines_per_1000_cycles": 1000 * reads / STOP,
                "percentiles": np.percentile(cycles, SHOWN).tolist()}  # fmt: skip


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


def bank_lines(bench: Bench) -> list[np.ndarray]:
    """Lines of the given line's slice by bank, sorted; the bank of most lines first, those of a few left out."""
    every = bench.lines
    bench.usual(every, -1, 1)  # TLB
    late = bench.late(every, GAP, SEARCHES)
    found = every[(late <= SOONER) | (late > LATE)]
    late = bench.late(found, GAP, OFTEN)
    left = found[(late <= SOONER) | (late > LATE)]
    usual = dict(zip(left.tolist(), bench.usual(left, -1, OFTEN), strict=True))
    found_banks = []
    while len(left) > 1:
        late = bench.usual(left, GAP, TRIES, int(left[0])) - np.array([usual[line] for line in left.tolist()])
        late[0] = LATE + 1
        found_banks.append(np.sort(left[late > LATE]))
        left = left[late <= LATE]
    return sorted((bank for bank in found_banks if len(bank) > 4), key=len, reverse=True)


def refresh_phases(session: Any, bench: Bench, lines: np.ndarray) -> np.ndarray:
    """[lines]: when in the interval the refresh of each ends, in TICKS of it; -1 where no read waited."""
    taken, when = dropped(session, bench.base, lines[:1], ALONE)
    coarse = coarse_period(when[:, 0], slow_reads(taken)[1][:, 0])
    taken, when = dropped(session, bench.base, lines, REFRESHED)
    usual, slow = slow_reads(taken)
    found, _ = phases(when - usual.astype(np.int64), slow, fine_period(when, slow, coarse))
    return np.where(np.isfinite(found), np.round(np.nan_to_num(found) * TICKS) % TICKS, -1).astype(int)


def rows(session: Any) -> dict[str, Any]:
    """Banks of a slice, phases of their refresh; lines per 1,000 cycles of one bank by rows, and beside several banks."""
    bench = Bench(session)
    banks_ = bank_lines(bench)
    found: dict[str, Any] = {"lines_of_banks": [len(bank) for bank in banks_]}
    of_line = refresh_phases(session, bench, np.concatenate(banks_))
    at = np.split(of_line, np.cumsum(found["lines_of_banks"])[:-1])
    ticks = [int(np.bincount(one[one >= 0]).argmax()) for one in at]
    its = [np.abs((one - tick + TICKS // 2) % TICKS - TICKS // 2) <= 1 for one, tick in zip(at, ticks, strict=True)]
    found["refresh"] = [
        {"tick": tick, "share_within_one": float(near.mean())} for tick, near in zip(ticks, its, strict=True)
    ]
    banks_ = [bank[near] for bank, near in zip(banks_, its, strict=True)]  # a read may be late for another reason
    found["granules_of_one"] = np.unique(banks_[1] // 2).tolist()
    other = banks_[20]
    of_rows = [banks_[1][k : k + ROW] for k in range(0, 12 * ROW, ROW)]
    for lanes in (1, 32):
        for number, each in SPREADS:
            lines = np.concatenate([row[:each] for row in of_rows[:number]])
            found[f"rows.{lanes}.{number}.{each}"] = bench.crowd(other, lines, lanes)
        for number, each in CROWDS:
            lines = np.concatenate([np.random.default_rng(2).permutation(bank)[:each] for bank in banks_[:number]])
            found[f"banks.{lanes}.{number}.{each}"] = bench.crowd(other, lines, lanes)
    return found


MEASUREMENTS = [banks, loaded, rows]
