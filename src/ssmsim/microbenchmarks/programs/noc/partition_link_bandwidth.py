"""Traffic between the partitions of L2: what reads and stores of all SMs get, and hits on copies beside such reads.

rates: bytes per cycle of all SMs, pieces of 512 bytes, reads from DRAM and stores that stay in L2; own: lines of the SM's
own partition alone, other: of the other's, both: in turn. hits: cycles of lone hits on lines that the reader's own
partition owns, and of such on its copies of the other's lines, beside so many warps that read lines of the partition
that is not theirs: of all SMs, of those on the reader's side (same), of those on the other (across).
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import i32, u32, u64
from ssmsim.microbenchmarks.gpu import RECORD
from ssmsim.microbenchmarks.programs.dram.read_latency_under_load import far

PAGE, LINE, PIECE = 4096, 128, 512
REGION, CHOSEN, RESIDENT = 1 << 17, 1 << 15, 1 << 11  # pages: all, of a partition, of a partition for stores
TRIES, OF_SM = 3, 24  # reads of each page, pages that each SM reads
WARPS, PIECES = 32, {"read": (64, 256), "write": (200, 1000)}  # pieces of each warp, few and many
LONE, FROM, UNTIL, STOP = (
    4000,
    100_000,
    3_600_000,
    3_700_000,
)  # hits, at most; cycles: their start and end, the readers'
TOUCHED = 256  # pages with hits, of each partition
SHOWN = (5, 25, 50, 75, 95)  # percentiles
# (warps of an SM, cycles between their pieces)
CELLS = {"idle": (0, 0), "2.20000": (2, 20_000), "4.20000": (4, 20_000), "4.10000": (4, 10_000), "8.10000": (8, 10_000),
         "8.5000": (8, 5000), "8.2500": (8, 2500), "8.600": (8, 600), "16.600": (16, 600)}  # fmt: skip
SIDES = np.dtype([("pages", u64, 2), ("side", u64), ("number", u64), ("mask", u32), ("sms", u32, 2), ("padding", u32)])


def sides_of(cycles: np.ndarray, pages_far: np.ndarray) -> np.ndarray:
    """Which SMs lie across: cycles [SMs, pages] of reads, pages_far: the same pages as the first SM sees them."""
    apart = np.array([row[side].mean() - row[~side].mean() for row, side in zip(cycles, pages_far, strict=True)])
    return apart < 0


class Bench:
    """Memory whose pages, and SMs, are told apart by partition; 0 is that of the block that read the pages."""

    def __init__(self, session: Any) -> None:
        self.session, self.gpu = session, session.gpu
        self.base = session.buffer(REGION * PAGE)
        self.lists = session.buffer(4 * REGION)
        self.cycles, self.place = session.buffer(2 * REGION), session.buffer(4 * session.sms)
        pages = np.arange(REGION)
        cycles, _ = self.read(pages, 1)
        of_page = far(cycles[0])
        rng = np.random.default_rng(1)
        tried = rng.permutation(REGION)[: session.sms * OF_SM].reshape(session.sms, OF_SM)
        cycles, place = self.read(tried.ravel(), session.sms)
        of_sm = np.zeros(session.sms, bool)
        of_sm[place] = sides_of(cycles, of_page[tried])
        self.prober = int(of_sm[place[0]])  # partition of the SM that has block 0 of a full grid
        self.shares = {"pages": float(of_page.mean()), "sms": float(of_sm.mean())}
        number = np.zeros(session.sms, u32)
        for side in (False, True):
            number[of_sm == side] = np.arange((of_sm == side).sum())
        self.of = [rng.permutation(pages[of_page == side])[:CHOSEN] for side in (False, True)]
        address = [session.buffer(4 * CHOSEN) for _ in self.of]
        for at, chosen in zip(address, self.of, strict=True):
            self.gpu.upload(at, chosen.astype(u32))
        side_at, number_at = session.buffer(4 * session.sms), session.buffer(4 * session.sms)
        self.gpu.upload(side_at, of_sm.astype(u32))
        self.gpu.upload(number_at, number)
        sms = [int((~of_sm).sum()), int(of_sm.sum())]
        self.sides = np.array([(address, side_at, number_at, CHOSEN - 1, sms, 0)], SIDES)

    def read(self, pages: np.ndarray, blocks: int) -> tuple[np.ndarray, np.ndarray]:
        """(fastest reads of the pages [blocks, each], SM of each block)."""
        self.gpu.upload(self.lists, (pages * (PAGE // LINE)).astype(u32))
        each = len(pages) // blocks
        self.session.launch("own_lines", blocks, 1, u64(self.cycles), u64(self.place), u64(self.base), u64(self.lists),
                            i32(each), i32(TRIES), u32(0), shared=120 << 10)  # fmt: skip
        self.gpu.synchronize()
        cycles = self.gpu.download(self.cycles, len(pages), np.uint16).astype(int).reshape(blocks, each)
        return cycles, self.gpu.download(self.place, blocks, u32).astype(int)

    def moved(self, kind: str, other: int) -> float:
        """Bytes per cycle of all SMs."""
        sides = self.sides.copy()
        if kind == "write":
            sides["mask"] = RESIDENT - 1
        records = WARPS * self.session.sms
        out = self.session.buffer(RECORD.itemsize * records)
        spans = []
        for pieces in (PIECES[kind][0], *PIECES[kind]):  # the first: instruction cache, TLB
            self.session.sweep()
            self.session.launch(f"{kind}_side", self.session.sms, 32 * WARPS, u64(out), i32(pieces), u64(self.base), sides,
                                u32(other), u32(0))  # fmt: skip
            self.gpu.synchronize()
            record = self.gpu.download(out, records, RECORD).reshape(self.session.sms, WARPS)
            spans.append(float((record["end"].max(1) - record["start"].min(1)).max()))
        return (PIECES[kind][1] - PIECES[kind][0]) * PIECE * records / (spans[2] - spans[1])

    def hits(self, warps: int, pace: int, who: int) -> dict[str, Any]:
        """Lone hits, near and on copies, beside readers."""
        near, copies = (self.of[self.prober ^ side][-TOUCHED:] for side in (0, 1))
        lines = np.stack([near, copies], 1).ravel() * (PAGE // LINE)
        lines = np.resize(lines, LONE)
        self.gpu.upload(self.lists, lines.astype(u32))
        totals = self.place
        self.gpu.zero(totals, 8)
        self.session.sweep()
        sides = self.sides.copy()
        sides["mask"] = CHOSEN // 2 - 1  # the pages with hits are in the other half
        self.session.launch("hits", self.session.sms, 32 * max(1, warps), u64(self.cycles), u64(self.base), u64(self.lists),
                            i32(LONE), sides, u32(who), u32(warps), u32(pace), u32(FROM), u32(UNTIL), u32(STOP), u64(totals),
                            u32(0), shared=120 << 10)  # fmt: skip
        self.gpu.synchronize()
        pieces, timed = self.gpu.download(totals, 2, u32).astype(int).tolist()
        cycles = self.gpu.download(self.cycles, timed, np.uint16).astype(int)
        return {
            "lines_per_1000_cycles": 1000 * pieces * (PIECE // LINE) / STOP,
            "near": np.percentile(cycles[0::2], SHOWN).tolist(),
            "copies": np.percentile(cycles[1::2], SHOWN).tolist(),
        }


def rates(session: Any) -> dict[str, Any]:
    """Reads and stores of lines of the own partition, of the other, and of both."""
    bench = Bench(session)
    kinds = {"own": 0, "other": 1, "both": 2}
    return bench.shares | {
        f"{kind}.{name}": bench.moved(kind, other) for kind in PIECES for name, other in kinds.items()
    }


def hits(session: Any) -> dict[str, Any]:
    """Each cell with readers on all SMs, on those of the reader's side and on the others."""
    bench = Bench(session)
    bench.hits(0, 0, 3)  # instruction cache, TLB
    who = {"all": 3, "same": 1 << bench.prober, "across": 2 >> bench.prober}
    return {f"{cell}.{name}": bench.hits(*CELLS[cell], mask) for cell in CELLS for name, mask in who.items()}


MEASUREMENTS = [rates, hits]
