"""Sampling: a part of the blocks is timed on a GPU that never runs dry; the others pass through the caches untimed.

The order of blocks is cut into strata of equal size. The first wave and the last quarter wave are timed, and of every
stratum between them a segment of consecutive blocks at a place drawn by a fixed hash. As slots free up, the next
segment's blocks follow; what lies between two segments is traced (block_replicas.py: or known from blocks like it) and sent
through the caches (functional_warming.py), so that counts of instructions and sectors stay exact and a segment finds in the L2
what the whole run would have left there, as do the blocks that are still under way from the segment before (in_flight_blocks.py).
Systematic sampling with functional warming: SMARTS (Wunderlich et al., ISCA 2003), here over blocks instead of time.

Timed and skipped blocks are chosen so that the skipped fill whole waves: a last wave that is partly filled is so in both.
estimate.py says how long the skipped ones would have taken.
"""

from collections.abc import Iterator

import numpy as np

from ssmsim.architecture import SECTOR_BYTES
from ssmsim.engines.embedded.bitmask import scramble
from ssmsim.engines.embedded.feed.block_pool import BATCH, Pool
from ssmsim.engines.embedded.sampling.block_replicas import TOGETHER, Coalesced, Replicas
from ssmsim.engines.embedded.sampling.estimate import Meter, lengthen, of_waves, regressed, under_way
from ssmsim.engines.embedded.sampling.functional_warming import Functional
from ssmsim.engines.embedded.sampling.in_flight_blocks import Seam
from ssmsim.engines.embedded.sampling.stagger import Stagger
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.counts import COUNTS
from ssmsim.engines.embedded.state.machine import State
from ssmsim.errors import SsmsimError
from ssmsim.results import Sampled
from ssmsim.trace.types import BlockSource, BlockTrace, Program

TARGET = 4_000_000  # warp instructions timed by default, at most SHARE of all
SHARE = 0.09
MIN_WAVES = 5.0  # timed at least: one in step, one put out of step, three for windows of a wave from each launch on
MOST = 0.34  # of the blocks; a launch of which more would be timed is timed whole: seams cost more than that saves
STRATA = 16  # at most
SEGMENT = 1.0  # waves or more: blocks that start together share lines and go on in step
SEAMS = 0.03  # of the extrapolated cycles: what mixing segments was seen to cost at most, over whole runs
CACHES = ("l1_sectors", "l1_hits", "l1_load_sectors", "l1_load_hits", "l2_sectors", "l2_hits", "l2_read_sectors",
          "l2_read_hits", "l2_write_sectors", "l2_far", "dram_reads", "dram_writes")  # fmt: skip
FIRST_USES = ("idc_misses",)  # once per SM, whatever the number of blocks


def segments(
    blocks: int, wave: int, per_block: float, target: int, row: int = 1, seed: int = 0
) -> list[tuple[int, int]]:
    """[first, last) of the blocks to time, ascending; one pair that holds all when sampling would not pay.

    wave: blocks that run in the time of one.
    row: blocks that follow each other and share tiles, as those of a row of the grid do: a segment that is as long holds
    whole rows, else it would find what its neighbours fetched without the time that took.
    seed: another draw of the places.
    """
    waves = max(MIN_WAVES, target / (per_block * wave))
    timed = blocks % wave + wave * max(0, -(-int(waves * wave - blocks % wave) // wave))
    if timed > MOST * blocks:
        return [(0, blocks)]
    unit = row if row <= wave else 1
    tail = max(1, wave // 4)
    units, rest = divmod(timed - wave - tail, unit)
    tail += rest
    strata = max(1, min(STRATA, units * unit // max(1, round(SEGMENT * wave))))
    edges = np.linspace(wave, blocks - tail, strata + 1).astype(np.int64)
    sizes = np.diff(np.linspace(0, units, strata + 1).astype(np.int64)) * unit
    chosen = [(0, wave)]
    for i, size in enumerate(sizes):
        begin, last = max(int(edges[i]), chosen[-1][1]), int(edges[i + 1] - size)
        whole = min(-(-begin // unit) * unit, last)
        first = whole + scramble(i + 1 + STRATA * seed) % ((last - whole) // unit + 1) * unit
        chosen.append((first, first + int(size)))
    return [*chosen, (blocks - tail, blocks)]


class WholeLaunch(Exception):
    """The launch can't be sampled."""


class SampledPool(Pool):
    """A pool that times some of the source's blocks. target: warp instructions to time, about; seed: draw of the places."""

    def __init__(self, program: Program, source: BlockSource, state: State, target: int, seed: int = 0) -> None:
        super().__init__(program, source, state)
        self.target, self.seed = target, seed
        self.resident = int(state.machine[0].sms * state.machine[0].blocks_per_sm)
        self.blocks = source.block_count
        self.segments = [(0, self.blocks)]
        self.planned = False
        self.replicas: Replicas | None = None
        self.skipped = Functional(program, state.code, state.machine, state, r.records(COUNTS, 1), from_start=False)
        # Cycle of launch and warp instructions, in order of loading.
        self.launched, self.lengths = np.zeros((2, self.blocks), np.int64)
        self.meter = Meter(2 * self.resident)
        self.stagger = Stagger(self.meter, self.resident)
        self.sequence: dict[int, int] = {}

    def refill(self) -> None:
        if not self.planned and self.loaded >= min(self.resident, self.blocks):
            self._plan()
        for number in np.flatnonzero(self.state.loaded.done):
            self._free(int(number))
        first, last = next(s for s in self.segments if s[1] > self.seen)
        self._pass_over(first)
        trace = self.take(max(1, min(BATCH, len(self.state.loaded) - len(self.parts), last - self.seen)))
        warps = self.source.warps_per_block
        coming = range(self.loaded, self.loaded + len(trace.blocks))
        self.lengths[coming.start : coming.stop] = np.diff(trace.first[::warps])
        self._load(trace)
        self.sequence.update(zip(self.latest.tolist(), coming, strict=True))

    def _hand_over(self, trace: BlockTrace, numbers: np.ndarray) -> None:
        """Blocks that wait for each other are timed all: one that is passed over would write nothing."""
        if len(trace.awaited):
            raise WholeLaunch

    def _plan(self) -> None:
        self.planned = True
        lengths = self.lengths[: self.loaded]
        per_block = float(lengths.mean())
        target = min(self.target, round(SHARE * self.blocks * per_block))
        row = (getattr(self.source, "grid", None) or (1,))[0]
        # Blocks that end at once leave their slots to more: as many run in the time of one that does not.
        wave = round(self.resident * float((lengths.astype(float) ** 2).mean()) / per_block**2)
        self.segments = segments(self.blocks, wave, per_block, target, row, self.seed)
        self.meter.full_from, self.stagger.wave, self.stagger.done = 2 * wave, wave, len(self.segments) == 1
        m = self.state.machine[0]
        m.block_total = m.launch_total = sum(last - first for first, last in self.segments)

    def _pass_over(self, first: int) -> None:
        """Send the blocks before `first` through the caches: replicas where they have been found to be what is traced."""
        warps = self.source.warps_per_block
        if self.seen < first and self.replicas is None and getattr(self.source, "grid", None):
            self.replicas = Replicas.of(self._apart, self.source.grid)  # type: ignore[attr-defined]
        seam = Seam(self.state, self._under_way()) if self.seen < first else None
        while self.seen < first:
            count = min(BATCH, first - self.seen)
            if self.replicas:
                self.skipped.start(self.replicas.blocks(self.seen, self.seen + count), warps)
                self.source.skip(count)  # type: ignore[attr-defined]
                self.seen += count
            else:
                self.skipped.run(self.take(count), warps)
        if seam:
            self.skipped.end()
            seam.close(self.state, self.skipped.counts)

    def _under_way(self) -> np.ndarray:
        """Blocks under way, as in_flight_blocks.py takes them."""
        accesses = [(number, *parts[1][1:]) for number, parts in self.parts.items()]
        return np.array([(number, start + count) for number, start, count in accesses], np.int64).reshape(-1, 2)

    def _apart(self, numbers: np.ndarray) -> Iterator[Coalesced]:
        """Each of some blocks of the launch, as those after the first wave are."""
        warps = self.source.warps_per_block
        for first in range(0, len(numbers), TOGETHER):
            trace = self.ready(self.source.apart(numbers[first : first + TOGETHER]))  # type: ignore[attr-defined]
            yield from (self.skipped.coalesce(one(trace, b, warps), warps) for b in range(len(trace.blocks)))

    def _free(self, number: int) -> None:
        self._note(number)
        super()._free(number)

    def _note(self, number: int) -> None:
        self.launched[self.sequence[number]] = self.state.loaded[number].launched

    def extrapolate(self) -> Sampled | None:
        """Make the finished run's state that of the whole launch; None when all blocks were timed."""
        timed = self.loaded
        if timed == self.blocks:
            return None
        for number in self.parts:
            self._note(number)
        if self.seen < self.blocks:
            raise SsmsimError(
                f"{self.blocks - self.seen} blocks neither timed nor passed over", self.program.kernel, "report it"
            )
        self.skipped.end()
        cycles_each = self.meter.per_execution(self.state.stalls)
        of_each = cycles_each.sum(1)
        looks = self.meter.full()
        work = np.array([float(look.executed @ of_each) for look in looks])
        spent = np.array([float(look.warp_cycles) for look in looks])
        skipped, counts = float(self.skipped.executed @ of_each), self.skipped.counts[0]
        dram = int(counts.dram_reads + counts.dram_writes)
        apart = self.meter.at(self.stagger.began)
        between = float((looks[0].executed - apart.executed) @ of_each)
        read = np.array([float(look.dram) for look in looks])
        cycles = np.array([float(look.cycle) for look in looks])
        launches = self.launched[self.meter.full_from : timed]
        wave_work, wave_spent, wave_read, wave_cycles = (
            of_waves(cycles, sums, launches, self.stagger.wave) for sums in (work, spent, read, cycles)
        )
        residents = wave_spent / wave_cycles
        m = self.state.machine[0]
        sector = (
            SECTOR_BYTES * int(m.burst_fp) / (1 << r.FP) / int(m.dram.access_bytes * m.dram.channels)
        )  # cycles at the DRAM
        begun = under_way(looks, self.launched[:timed], self.lengths[:timed]).astype(float)
        means = wave_spent / wave_work, wave_read / wave_work
        ratio = regressed(work, spent, read, begun, means, dram / skipped, residents * sector)
        extra = (skipped + between) * ratio.value / residents - (looks[0].cycle - apart.cycle)
        stalls = self.skipped.executed[:, None] * cycles_each * ratio.value
        scale(self.state, self, round(extra), np.rint(stalls).astype(np.int64))
        elapsed = int(self.state.gpu[0].finish + self.state.machine[0].launch.end_cycles)
        half = extra * (ratio.spread + SEAMS)
        return Sampled(fraction=timed / self.blocks, ci95=(elapsed - half, elapsed + half))


def one(trace: BlockTrace, b: int, warps: int) -> BlockTrace:
    """A single block of a trace."""
    first, rows = (starts[b * warps : (b + 1) * warps + 1] for starts in (trace.first, trace.first_access))
    part = slice(first[0], first[-1])
    return BlockTrace(trace.blocks[b : b + 1], first - first[0], trace.index[part], trace.mask[part], trace.active[part],
                      rows - rows[0], trace.addresses[rows[0] : rows[-1]])  # fmt: skip


def scale(state: State, pool: SampledPool, extra: int, stalls: np.ndarray) -> None:
    """Add what the skipped blocks did: exact where addresses decide it, else in proportion."""
    counts, skipped = state.counts[0], pool.skipped.counts[0]
    merge(counts, skipped)
    timed = int(counts.issued)
    pool.sums += pool.skipped.sums
    pool.executed += pool.skipped.executed
    ratio = int(pool.executed.sum()) / timed
    skipped.l2_sectors += round(counts.l2_fences * (ratio - 1))  # what fences ask, which do not pass through the caches
    skipped.l2_hits += round(counts.l2_fences * (ratio - 1))
    for name in COUNTS.names or ():
        if name in CACHES:
            counts[name] += skipped[name]
        elif name not in FIRST_USES:
            counts[name] = np.rint(counts[name] * ratio)
    state.stalls += stalls
    counts.warp_cycles = state.stalls.sum()
    lengthen(state, extra)


def merge(counts, skipped) -> None:
    """Loads that an L2 request coalescer would have joined do not reach the L2: as large a share as of the timed ones."""
    if counts.merged:
        share = counts.merged / counts.l1_fills
        gone = round(share * int(skipped.l1_load_sectors - skipped.l1_load_hits))
        for name in ("l2_sectors", "l2_hits", "l2_read_sectors", "l2_read_hits"):
            skipped[name] -= gone
