"""The pool: instruction streams of the blocks that are resident or about to start, and nothing else.

Three arrays hold what the loop reads (stream, accesses, lines); a block's part is given back when the block is done.
"""

import bisect
from dataclasses import dataclass

import numpy as np
from numba import njit

from ssmsim.architecture import LANES, SECTORS_PER_LINE
from ssmsim.engines.embedded import conservation
from ssmsim.engines.embedded.feed import async_words, coalesce, coalesce_cache, register_release, skip_prologue
from ssmsim.engines.embedded.feed.handover import Handover
from ssmsim.engines.embedded.host.huge_pages import Room
from ssmsim.engines.embedded.sm.instruction import MBARRIER
from ssmsim.engines.embedded.state.machine import State
from ssmsim.errors import SsmsimError
from ssmsim.sass.opcodes import Space
from ssmsim.trace import spare
from ssmsim.trace.types import BlockSource, BlockTrace, Program

BATCH = 1024  # blocks asked of the source at once, at most; it gives fewer when theirs are large


class Arena:
    """First-fit allocator of index ranges; grows at the end, so that what is allocated never moves."""

    def __init__(self) -> None:
        self.size = 0
        self.holes: list[tuple[int, int]] = []  # (start, length), ascending, never adjacent

    def take(self, length: int) -> int:
        for i, (start, room) in enumerate(self.holes):
            if room >= length:
                self.holes[i : i + 1] = [(start + length, room - length)] if room > length else []
                return start
        start = self.holes.pop()[0] if self.holes and sum(self.holes[-1]) == self.size else self.size
        self.size = max(start + length, self.size + self.size // 2)
        if self.size > start + length:
            self.holes.append((start + length, self.size - start - length))
        return start

    def give(self, start: int, length: int) -> None:
        if length == 0:
            return
        i = bisect.bisect(self.holes, (start, length))
        if i < len(self.holes) and self.holes[i][0] == start + length:
            length += self.holes.pop(i)[1]
        if i and sum(self.holes[i - 1]) == start:
            start, before = self.holes[i - 1]
            i -= 1
            self.holes.pop(i)
            length += before
        self.holes.insert(i, (start, length))


@dataclass
class Pool:
    """Moves blocks from a source into the state, and sums what addresses alone decide.

    sums: int64[len(coalesce.SUMS)]; executed: int64[instructions], executions of each; loaded: blocks so far.
    guesses: the source takes guards that it does not know for true, so lanes that pass them are not counted exactly.
    """

    program: Program
    source: BlockSource
    state: State

    def __post_init__(self) -> None:
        self.arenas = {"stream": Arena(), "accesses": Arena(), "lines": Arena()}
        self.parts: dict[int, list[tuple[str, int, int]]] = {}
        self.sums = np.zeros(len(coalesce.SUMS), np.int64)
        self.executed = np.zeros(len(self.program.instructions), np.int64)
        self.scratch = coalesce.bank_words()
        self.known = coalesce_cache.nothing(len(self.program.instructions))
        self.loaded = 0
        self.latest = np.zeros(0, np.int64)  # records of the blocks loaded last
        self.seen = 0  # blocks taken from the source
        self.rows = self.program.instructions["accesses"]
        local = bool((self.program.instructions["space"] == Space.LOCAL).any())
        self.lines_per_row = SECTORS_PER_LINE * LANES if local else LANES
        self.handover = Handover(self.state)
        self.asynchronous = bool((self.state.code.space >= MBARRIER).any())
        self.instructions = self.program.instructions.view(np.recarray)
        self.guesses = bool(getattr(self.source, "guesses", False))

    def refill(self) -> None:
        """Free what is done and load the next batch. Raises SsmsimError when the source ends early."""
        for number in np.flatnonzero(self.state.loaded.done):
            self._free(int(number))
        trace = self.take(max(1, min(BATCH, len(self.state.loaded) - len(self.parts))))
        self._load(trace)

    def take(self, count: int) -> BlockTrace:
        """The source's next blocks, at most `count`."""
        wave = self.state.machine[0].sms * self.state.machine[0].blocks_per_sm
        later = self.seen >= wave
        if self.seen < wave:
            count = min(count, int(wave - self.seen))
        trace = self.source.next_blocks(count)
        if trace is None or len(trace.blocks) == 0:
            raise SsmsimError(f"the tracer ended after {self.loaded} blocks of {self.source.block_count}",
                              self.program.kernel, "trace the launch again")  # fmt: skip
        self.seen += len(trace.blocks)
        return self.ready(trace, later)

    def ready(self, trace: BlockTrace, later: bool = True) -> BlockTrace:
        """A source's blocks, checked; later: they start after the first wave."""
        m = self.state.machine[0]
        conservation.whole(trace, self.program, int(m.warps_per_block), int(m.cluster_size))
        skips = later and m.launch.skip_prologue
        return skip_prologue.without(trace, self.program) if skips else trace

    def _free(self, number: int) -> None:
        self.handover.free(number)
        for name, start, length in self.parts.pop(number):
            self.arenas[name].give(start, length)
        self.state.loaded[number].done = 0

    def _load(self, trace: BlockTrace) -> None:
        """Load all blocks of a trace, each into places of its own that can be given back alone."""
        self._check(trace)
        warps, blocks, most = self.source.warps_per_block, len(trace.blocks), len(trace.addresses)
        lengths = np.zeros((blocks, 3), np.int64)
        lengths[:, 0] = np.diff(trace.first[::warps])
        places = np.zeros((blocks, 3), np.int64)
        places[:, 0] = self._take("stream", lengths[:, 0])
        accesses, lines = (
            spare.array(most + 1, coalesce.ACCESS),
            spare.array(most * self.lines_per_row + 1 + self._words(trace), np.int64),
        )
        starts = np.zeros((blocks, warps), np.int64)
        load_blocks(self.instructions, self.state.code, trace.first, trace.index, trace.mask, trace.active, trace.first_access,
                    trace.addresses, self.state.stream, accesses.view(np.recarray), lines, starts, places, lengths, self.sums,
                    self.executed, self.scratch, self.known)  # fmt: skip
        for k, name in enumerate(self.arenas):
            if k:
                places[:, k] = self._take(name, lengths[:, k])
        settle(accesses.view(np.recarray), lines, self.state.accesses, self.state.lines, places, lengths)
        m = self.state.machine[0]
        if m.sm.early_blocks:
            register_release.mark(
                trace, self.program, self.state.code, int(m.warp_units), self.state.stream, places[:, 0]
            )
        numbers = self.latest = self._numbers(blocks)
        for number, place, length in zip(numbers.tolist(), places.tolist(), lengths.tolist(), strict=True):
            self.parts[number] = list(zip(self.arenas, place, length, strict=True))
        records = self.state.loaded
        records.turn[(self.loaded + np.arange(blocks)) % len(records)] = numbers
        records.id[numbers], records.done[numbers], records.launched[numbers] = trace.blocks, 0, 0
        ends = trace.first[np.arange(blocks)[:, None] * warps + np.arange(warps + 1)]
        records.first[numbers, : warps + 1] = ends - ends[:, :1] + places[:, :1]
        records.access[numbers, :warps] = starts + places[:, 1:2]
        self.loaded += blocks
        self.state.gpu[0].loaded_blocks = self.loaded
        self._hand_over(trace, numbers)

    def _hand_over(self, trace: BlockTrace, numbers: np.ndarray) -> None:
        """Note which of the loaded blocks' loads wait for what other blocks write."""
        self.handover.add(trace, numbers)

    def _words(self, trace: BlockTrace) -> int:
        """Words of the pool that bulk copies and mbarriers take beyond a row's lines."""
        if not self.asynchronous:
            return 0
        return int(async_words.room(self.instructions, self.state.code, trace.index, trace.addresses))

    def _numbers(self, count: int) -> np.ndarray:
        """Records for so many blocks: the next ones round the array that no block holds. A block may outlast thousands."""
        size = len(self.state.loaded)
        last = int(self.latest[-1]) + 1 if len(self.latest) else 0
        free = np.ones(size, bool)
        free[list(self.parts)] = False
        found = np.flatnonzero(np.roll(free, -last))[:count]
        return np.asarray((found + last) % size)

    def _take(self, name: str, lengths: np.ndarray) -> list[int]:
        """A place for each of some blocks in one of the state's arrays, which grows when it is full."""
        arena = self.arenas[name]
        places = [arena.take(length) for length in lengths.tolist()]
        array = getattr(self.state, name)
        if arena.size > len(array):
            larger = Room().array(arena.size, array.dtype)
            larger[: len(array)] = array
            setattr(self.state, name, larger.view(np.recarray) if array.dtype.names else larger)
        return places

    def _check(self, trace: BlockTrace) -> None:
        """Every warp must have a stream that ends with an exit: else a barrier could wait for ever, or time be lost."""
        ends = trace.index[trace.first[1:] - 1]
        wrong = np.flatnonzero(self.state.code.exits[ends] == 0)
        if len(wrong):
            block, w = divmod(int(wrong[0]), self.source.warps_per_block)
            text = self.program.text[int(ends[wrong[0]])].strip()
            raise SsmsimError(f"block {int(trace.blocks[block])} warp {w}: the stream ends with {text}, not with EXIT",
                              self.program.kernel, "trace the launch again")  # fmt: skip


@njit(cache=True)
def load_blocks(program, code, first, index, mask, active, first_access, addresses, stream, accesses, lines, starts, places,
                lengths, sums, executed, scratch, known):  # fmt: skip
    """Translate blocks: streams to places[:, 0], accesses and lines one after the other; says how many in lengths[:, 1:].

    starts: int64[blocks, warps], a warp's first access, counted in its block, as are the accesses' first lines.
    """
    at, before, warps = np.zeros(3, np.int64), np.zeros(2, np.int64), starts.shape[1]
    for b in range(len(places)):
        at[0] = places[b, 0]
        before[:] = at[1:]
        for w in range(warps):
            starts[b, w] = at[1] - before[0]
            begin, end = first[b * warps + w], first[b * warps + w + 1]
            coalesce.load_block(program, code, index[begin:end], mask[begin:end], active[begin:end],
                                addresses[first_access[b * warps + w] : first_access[b * warps + w + 1]], stream,
                                accesses, lines, at, sums, executed, scratch, known, True)  # fmt: skip
        for i in range(before[0], at[1]):
            accesses[i].first_line -= before[1]
        lengths[b, 1:] = at[1:] - before


@njit(cache=True)
def settle(accesses, lines, held_accesses, held_lines, places, lengths):
    """Copy each block's accesses and lines to its places."""
    a = line = 0
    for b in range(len(places)):
        for i in range(lengths[b, 1]):
            held = held_accesses[places[b, 1] + i]
            held.first_line = accesses[a].first_line + places[b, 2]
            held.lines, held.wavefronts, held.words = accesses[a].lines, accesses[a].wavefronts, accesses[a].words
            held.awaits = held.signals = 0
            a += 1
        for i in range(lengths[b, 2]):
            held_lines[places[b, 2] + i] = lines[line]
            line += 1
