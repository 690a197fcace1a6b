"""The pool: instruction streams of the blocks that are resident or about to start, and nothing else.

Three arrays hold what the loop reads (stream, accesses, lines); a block's part is given back when the block is done.
"""

import bisect
from dataclasses import dataclass

import numpy as np

from ssmsim.engines.embedded import checks, coalesce, prologue
from ssmsim.engines.embedded import records as r
from ssmsim.engines.embedded.machine import State
from ssmsim.engines.embedded.room import Room
from ssmsim.errors import SsmsimError
from ssmsim.sass.opcodes import Space
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
        self.scratch = np.zeros((32, 34), np.int64)
        self.loaded = 0
        self.seen = 0  # blocks taken from the source
        self.rows = self.program.instructions["accesses"]
        local = bool((self.program.instructions["space"] == Space.LOCAL).any())
        self.lines_per_row = 128 if local else 32
        self.instructions = self.program.instructions.view(np.recarray)
        self.guesses = bool(getattr(self.source, "guesses", False))

    def refill(self) -> None:
        """Free what is done and load the next batch. Raises SsmsimError when the source ends early."""
        for number in np.flatnonzero(self.state.loaded.done):
            self._free(int(number))
        trace = self.take(max(1, min(BATCH, len(self.state.loaded) - len(self.parts))))
        for b in range(len(trace.blocks)):
            self._load(trace, b)

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
        checks.whole(trace, self.program, int(self.state.machine[0].warps_per_block))
        skips = later and self.state.machine[0].skip_prologue
        return prologue.without(trace, self.program) if skips else trace

    def _free(self, number: int) -> None:
        for name, start, length in self.parts.pop(number):
            self.arenas[name].give(start, length)
        self.state.loaded[number].done = 0

    def _load(self, trace: BlockTrace, b: int) -> None:
        warps = self.source.warps_per_block
        first = trace.first[b * warps : (b + 1) * warps + 1].astype(np.int64)
        rows = trace.first_access[b * warps : (b + 1) * warps + 1].astype(np.int64)
        self._check(trace, first, int(trace.blocks[b]))
        count, most = int(first[-1] - first[0]), int(rows[-1] - rows[0])
        stream = np.empty(count, np.int32)
        accesses = r.records(r.ACCESS, most + 1)
        lines = np.empty(most * self.lines_per_row + 1, np.int64)
        at = np.zeros(3, np.int64)
        starts = np.zeros(warps, np.int64)
        for w in range(warps):
            starts[w] = at[1]
            part = slice(int(first[w]), int(first[w + 1]))
            coalesce.load_block(self.instructions, self.state.code, trace.index[part], trace.mask[part],
                                trace.active[part], trace.addresses[int(rows[w]) : int(rows[w + 1])], stream, accesses,
                                lines, at, self.sums, self.executed, self.scratch)  # fmt: skip
        number = self.loaded % len(self.state.loaded)
        places = [self._store(name, values[:length]) for name, values, length in
                  (("stream", stream, count), ("accesses", accesses, int(at[1])), ("lines", lines, int(at[2])))]  # fmt: skip
        self.state.accesses.first_line[places[1] : places[1] + int(at[1])] += places[2]
        self.parts[number] = [
            (n, p, int(k)) for n, p, k in zip(self.arenas, places, (count, at[1], at[2]), strict=True)
        ]
        record = self.state.loaded[number]
        record.id, record.done = trace.blocks[b], 0
        record.first[: warps + 1] = first - first[0] + places[0]
        record.access[:warps] = starts + places[1]
        self.loaded += 1
        self.state.gpu[0].loaded_blocks = self.loaded

    def _store(self, name: str, values: np.ndarray) -> int:
        start = self.arenas[name].take(len(values))
        array = getattr(self.state, name)
        if self.arenas[name].size > len(array):
            larger = Room().array(self.arenas[name].size, array.dtype)
            larger[: len(array)] = array
            array = larger.view(np.recarray) if array.dtype.names else larger
            setattr(self.state, name, array)
        array[start : start + len(values)] = values
        return start

    def _check(self, trace: BlockTrace, first: np.ndarray, block: int) -> None:
        """Every warp must have a stream that ends with an exit: else a barrier could wait for ever, or time be lost."""
        exits = self.state.code.exits[trace.index[first[1:] - 1]]
        if not exits.all():
            w = int(np.flatnonzero(exits == 0)[0])
            text = self.program.text[int(trace.index[first[w + 1] - 1])].strip()
            raise SsmsimError(f"block {block} warp {w}: the stream ends with {text}, not with EXIT", self.program.kernel,
                              "trace the launch again")  # fmt: skip
