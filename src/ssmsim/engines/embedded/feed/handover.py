"""Values that blocks hand to each other through global memory: a load that waits for one is issued when it is there.

The tracer names, of each value on which control hangs, the store or atomic that wrote it and the load that found it
(BlockTrace.awaited); passes of loops that poll are not in the streams. The writer's access gets a number, and the loads that
await that number are held back until the write is on its way at the L2. On a GPU they would poll: such a load is at the L2
half a round trip later on average, and so is one that is issued then. Atomics do not wait for others: which of them comes
first is the tracer's choice, and costs nothing here.
"""

from collections.abc import Iterator

import numpy as np

from ssmsim.engines.embedded.sm.instruction import NO_SPACE
from ssmsim.engines.embedded.sm.memory import lsu
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.machine import State
from ssmsim.trace.types import BlockTrace

Place = tuple[int, int]  # warp of a block, executed instruction of the warp


class Handover:
    """Numbers the writes that are awaited, and marks accesses of loaded blocks."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.numbers: dict[tuple[int, int, int], int] = {}
        self.coming: dict[int, list[tuple[Place, int]]] = {}  # writes of blocks that are not loaded yet, by block
        self.loaded: dict[int, int] = {}  # record of each block that is loaded
        self.over: set[int] = set()  # blocks that have been loaded and have ended

    def add(self, trace: BlockTrace, records: np.ndarray) -> None:
        """Blocks of `trace` have been loaded into these records."""
        self.loaded |= dict(zip(trace.blocks.tolist(), records.tolist(), strict=True))
        for block in set(trace.blocks.tolist()) & set(self.coming):
            for place, number in self.coming.pop(block):
                self._writes(block, place, number)
        for writer, w, k, reader, v, j in self._waits(trace):
            key = (writer, w, k)
            if writer in self.over:
                continue
            if key not in self.numbers:
                number = self.numbers[key] = self._number()
                if writer in self.loaded:
                    self._writes(writer, (w, k), number)
                else:
                    self.coming.setdefault(writer, []).append(((w, k), number))
            access, _ = self._access(reader, (v, j))
            self.state.accesses[access].awaits = self.numbers[key]

    def _waits(self, trace: BlockTrace) -> Iterator[list[int]]:
        """Rows of `awaited` whose reader is a plain load."""
        for row in trace.awaited.tolist():
            one = self.state.code[self._static(row[3], (row[4], row[5]))]
            if not (one.is_store or one.is_atomic) and row[0] != row[3]:
                yield row

    def free(self, record: int) -> None:
        """The block in a record has ended."""
        block = int(self.state.loaded[record].id)
        if self.loaded.pop(block, None) is not None:
            self.over.add(block)

    def _number(self) -> int:
        number = len(self.numbers) + 1
        if number >= len(self.state.signals):
            larger = r.records(lsu.SIGNALS, 2 * len(self.state.signals))
            larger[: len(self.state.signals)] = self.state.signals
            self.state.signals = larger
        self.state.machine[0].handover = 1
        return number

    def _static(self, block: int, place: Place) -> int:
        first = int(self.state.loaded[self.loaded[block]].first[place[0]])
        return int(self.state.stream[first + place[1]]) & r.INDEX

    def _access(self, block: int, place: Place) -> tuple[int, int]:
        """(index of the access that an executed instruction makes, of its place in the stream)."""
        record = self.state.loaded[self.loaded[block]]
        first = int(record.first[place[0]])
        before = self.state.stream[first : first + place[1]] & r.INDEX
        with_access = (self.state.code.space != NO_SPACE) & (self.state.code.accessing != 0)
        return int(record.access[place[0]]) + int(with_access[before].sum()), first + place[1]

    def _writes(self, block: int, place: Place, number: int) -> None:
        """The access of a write tells of it, unless it has been issued already."""
        access, position = self._access(block, place)
        if self._issued(block, place[0], position):
            self.state.signals[number].when = max(1, int(self.state.gpu[0].cycle))
        else:
            self.state.accesses[access].signals = number

    def _issued(self, block: int, warp: int, position: int) -> bool:
        """Whether the warp is past a place of the stream. A block that has been launched and is not there has ended."""
        record, m = self.state.loaded[self.loaded[block]], self.state.machine[0]
        if not record.launched:
            return False
        there = self.state.blocks[int(record.sm) * int(m.block_places) + int(record.slot)]
        w = int(there.warps[warp])
        if not there.used or int(there.id) != block or w == r.NONE:
            return True
        return int(self.state.warps[w].position) > position
