"""Lone reads from DRAM beside readers and writers of other memory: how long they wait, by the rates of both.

Wait: cycles that a read takes beyond the fastest of four reads of its line on the idle GPU. It has the refresh of its
bank in it, as the idle cells show. READ.WRITTEN: rates in GB/s that were asked for; those that came about are in the cell.
Readers and writers have 16 warps of half of the SMs each, which move 512 bytes at a time, at random paces. Lone reads
begin when the L2 has as many dirty lines as it keeps, and end before readers and writers do. partitions: readers' and
writers' pages all in the near half of L2 (n), in the far half (f) or in both (b), as seen from the lone reads.
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import i32, u32, u64

READ, WRITTEN = (0, 30, 80, 150, 300, 600, 1000), (0, 50, 100, 200, 300, 600, 900)  # GB/s
PARTITIONS, OF_PARTITIONS = ("bb", "nn", "ff", "nf", "fn"), (300, 300)  # readers' pages, writers'; GB/s
PAGE, LINE, PIECE = 4096, 128, 512
REGION = (1 << 30) // PAGE  # pages: the lone reads have the first, then readers, then writers
COLD = (32 << 20) // PAGE  # pages with lone reads: the TLB has them
CHOSEN = 1 << 16  # pages of one partition, a power of two
LONE, FASTEST, SIDE = 6000, 4, 3  # lone reads, at most; reads of each line, and of a page, on the idle GPU
FROM, UNTIL, STOP = 2_500_000, 13_500_000, 13_600_000  # cycles: lone reads, end of the others
WARPS, OWN = 16, {"read": 900, "written": 150}  # cycles that a piece takes by itself
CREW = np.dtype([("pages", u64), ("first", u32), ("number", u32), ("warps", u32), ("pace", u32)])
BIN, LOWEST, HIGHEST = 10, -50, 1000  # cycles: bins of the histogram; the first and the last are open
SHOWN = (5, 25, 50, 75, 90, 95, 99)  # percentiles


def pace(rate: float, blocks: int, own: int) -> int:
    """Cycles between the pieces of a warp, beyond the `own` ones of each, for a rate in bytes per cycle."""
    return max(0, round(blocks * WARPS * PIECE / rate) - own)


def histogram(waits: np.ndarray) -> np.ndarray:
    """How many waits in each bin: below LOWEST + BIN, every BIN cycles, HIGHEST and more."""
    bins = (HIGHEST - LOWEST) // BIN + 1
    return np.bincount(np.clip((waits - LOWEST) // BIN, 0, bins - 1), minlength=bins)


def beyond(counts: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """Share of a histogram's waits that are longer than each limit (at most HIGHEST), as if even within bins."""
    longer = np.append(np.cumsum(counts[::-1])[::-1], 0) / counts.sum()
    return np.interp(limit, LOWEST + BIN * np.arange(len(counts)), longer[:-1])


def far(fastest: np.ndarray) -> np.ndarray:
    """Which lines lie in the far half of L2, told by their fastest reads; a half of them, roughly, must."""
    return fastest >= np.percentile(fastest, [15, 85]).mean()


def summary(cycles: np.ndarray, fastest: np.ndarray) -> dict[str, Any]:
    """Of lone reads [reads] and the fastest ones of their lines: mean, percentiles and histogram of the waits."""
    waits = cycles.astype(int) - fastest
    side = far(fastest)
    return {
        "reads": len(waits),
        "mean": float(waits.mean()),
        "percentiles": np.percentile(waits, SHOWN).tolist(),
        "histogram": histogram(waits).tolist(),
        "far": {"reads": int(side.sum()), "mean": float(waits[side].mean()),
                "histogram": histogram(waits[side]).tolist()},
    }  # fmt: skip


class Bench:
    """Memory, buffers and one cell after the other."""

    def __init__(self, session: Any) -> None:
        self.session, self.gpu, self.random = session, session.gpu, np.random.default_rng(1)
        self.base = session.buffer(3 * REGION * PAGE)
        self.cycles, self.lines = session.buffer(2 * 2 * REGION), session.buffer(4 * 2 * REGION)
        self.pages = {"read": session.buffer(4 * CHOSEN), "written": session.buffer(4 * CHOSEN)}
        self.totals = session.buffer(64)
        self.blocks = {"read": session.sms // 2, "written": (session.sms - 1) // 2}
        self.ghz = self.gpu.facts()["clock_khz"] / 1e6

    def fastest(self, lines: np.ndarray, tries: int, blocks: int) -> np.ndarray:
        """Cycles of the fastest of some reads of each line on the idle GPU."""
        self.gpu.upload(self.lines, lines.astype(u32))
        self.session.launch("fastest", blocks, 1, u64(self.cycles), u64(self.base), u64(self.lines), i32(len(lines)),
                            i32(tries), u32(0))  # fmt: skip
        self.gpu.synchronize()
        return self.gpu.download(self.cycles, len(lines), np.uint16).astype(int)

    def crew(self, who: str, rate: float, pages: np.ndarray | None) -> np.ndarray:
        """Argument of the kernel: readers or writers of a rate in GB/s, in these pages or in a region of their own."""
        wait = pace(rate / self.ghz, self.blocks[who], OWN[who]) if rate else 0
        warps, region = WARPS if rate else 0, 1 + (who == "written")
        if pages is None:
            return np.array([(0, region * REGION, REGION, warps, wait)], CREW)
        self.gpu.upload(self.pages[who], pages.astype(u32))
        return np.array([(self.pages[who], 0, len(pages), warps, wait)], CREW)

    def cell(self, read: float, written: float, *pages: np.ndarray) -> dict[str, Any]:
        """Lone reads beside these rates in GB/s; pages: the readers' and the writers'."""
        lines = self.random.integers(0, COLD, LONE) * (PAGE // LINE) + self.random.integers(0, PAGE // LINE, LONE)
        self.gpu.upload(self.lines, lines.astype(u32))
        readers, writers = (
            self.crew(who, rate, pages[i] if pages else None)
            for i, (who, rate) in enumerate((("read", read), ("written", written)))
        )
        self.session.sweep()
        self.gpu.zero(self.totals, 64)
        self.session.launch("mixed", self.session.sms, 32 * WARPS, u64(self.cycles), u64(self.base), u64(self.lines),
                            i32(LONE), readers, writers, u32(FROM), u32(UNTIL), u32(STOP), u64(self.totals), u32(0))  # fmt: skip
        self.gpu.synchronize()
        moved_read, moved_written, reads, spent, ns = self.gpu.download(self.totals, 5, u32).astype(int).tolist()
        cycles = self.gpu.download(self.cycles, reads, np.uint16)
        rates = [pieces * PIECE / STOP for pieces in (moved_read, moved_written)]
        return {
            "asked_gb_per_s": [read, written],
            "gb_per_s": [rate * spent / ns for rate in rates],
            "bytes_per_cycle": rates,
        } | summary(cycles, self.fastest(lines[:reads], FASTEST, 1))


def rates(session: Any) -> dict[str, Any]:
    """Each cell of the grid, and the idle GPU before and after."""
    bench = Bench(session)
    bench.cell(0, 0)  # instruction cache, TLB
    found = {"idle_before": bench.cell(0, 0)}
    for read in READ:
        for written in WRITTEN:
            if read or written:
                found[f"{read}.{written}"] = bench.cell(read, written)
    return found | {"idle_after": bench.cell(0, 0)}


def partitions(session: Any) -> dict[str, Any]:
    """Readers and writers with pages of one partition each, or of both."""
    bench = Bench(session)
    pages = np.arange(REGION, 3 * REGION)
    of_side = far(bench.fastest(pages * (PAGE // LINE), SIDE, 16))
    regions = [(pages[at], of_side[at]) for at in (slice(0, REGION), slice(REGION, None))]
    found: dict[str, Any] = {"far_pages": [float(side.mean()) for _, side in regions]}
    for name in PARTITIONS:
        chosen = [
            own[np.full(REGION, True) if letter == "b" else side == (letter == "f")][:CHOSEN]
            for letter, (own, side) in zip(name, regions, strict=True)
        ]
        found[name] = bench.cell(*OF_PARTITIONS, *chosen)
    return found


MEASUREMENTS = [rates, partitions]
