"""A launch's thread blocks, emulated in batches when they are asked for."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ssmsim.launch import Launch
from ssmsim.sass.decode import Code, decode_launch
from ssmsim.trace.types import BlockTrace
from ssmsim.tracers.emulated.cluster import members, size_of
from ssmsim.tracers.emulated.execution_driven import ExecutionDriven
from ssmsim.tracers.emulated.exits import conditional_exits
from ssmsim.tracers.emulated.tracing import Tracing

BATCH_BYTES = 192 << 20  # a batch's trace, about; its registers come on top
BATCH_WARPS = 1024


class EmulatedBlocks:
    """BlockSource of an emulated launch: runs batches of blocks when asked for more than it holds."""

    def __init__(
        self, launch: Launch, order: Sequence[int] | np.ndarray | None, code: Code | None = None,
        tracing: Tracing | None = None, batch: int = 1,
    ) -> None:  # fmt: skip
        """code, tracing: the launch's, when the caller has them. batch: blocks of the first batch, or a cluster."""
        self.launch, self.cluster = launch, size_of(launch)
        if order is None and self.cluster > 1:  # as the hardware starts them
            order = members(launch, np.arange(launch.blocks // self.cluster))
        self.order = range(launch.blocks) if order is None else np.asarray(order, np.int64)
        self.whole = order is None
        self.warps_per_block = launch.warps_per_block
        self.block_count = len(self.order)
        self.tracing = tracing or Tracing(code or decode_launch(launch), launch)
        self.tracing.wanted = None if self.whole else np.asarray(self.order)
        self._held: BlockTrace | None = None
        self._at = 0  # in what is held
        self._next = 0  # in the order
        self._batch = max(batch, self.cluster)

    @property
    def guesses(self) -> bool:
        """Whether lanes that pass their guards are not all known: guards that may depend on data that nobody recorded are
        taken for true (see slice.py), and of EXIT with a predicate of its own a GPU counts the lanes that leave.
        """
        return any(self.tracing.part.vague) or bool(conditional_exits(self.tracing.code.program).any())

    @property
    def timing_dependent(self) -> tuple[str, ...]:
        """Instructions that make what the blocks execute hang on their order: see Tracing.timing_dependent."""
        return self.tracing.timing_dependent

    def execution_driven(self) -> ExecutionDriven | None:
        """What makes the launch's streams hand in hand with an engine; None where its blocks do not hang on each other, as
        far as the first of them show, or where not all of them come.
        """
        first = np.asarray(self.order[: max(self.cluster, BATCH_WARPS // self.warps_per_block)], np.int64)
        if not self.whole or not self.tracing.hangs_on_order(first):
            return None
        return ExecutionDriven(self.tracing.code, self.launch)

    def next_blocks(self, count: int) -> BlockTrace | None:
        """The next `count` blocks or fewer; None after the last."""
        if self._held is None or self._at == len(self._held.blocks):
            if self._next == self.block_count:
                return None
            self._held = None  # its memory serves the next
            self._held, self._at = self._run(), 0
        held, first = self._held, self._at
        last = self._at = min(first + count, len(held.blocks))
        if first == 0 and last == len(held.blocks):
            return held
        return cut(held, first, last, self.warps_per_block)

    @property
    def grid(self) -> tuple[int, int, int] | None:
        """The launch's grid when all its blocks come in order."""
        return self.launch.grid if self.whole else None

    def skip(self, count: int) -> None:
        """Pass over the next `count` blocks; those that are not held are never run."""
        held = min(count, len(self._held.blocks) - self._at) if self._held is not None else 0
        self._at += held
        self._next = min(self._next + count - held, self.block_count)

    def apart(self, numbers: np.ndarray) -> BlockTrace:
        """Blocks by their number, whatever comes next; what next_blocks() gives stays the same."""
        return self.tracing.trace(numbers if self.whole else np.asarray(self.order)[numbers])

    def _run(self) -> BlockTrace:
        """One batch; its size follows what the one before it took per block."""
        blocks = np.asarray(self.order[self._next : self._next + self._batch], np.int64)
        self._next += len(blocks)
        trace = self.tracing.trace(blocks)
        if len(trace.awaited) and not self.whole:  # nobody waits for blocks that do not come
            trace = replace(trace, awaited=trace.awaited[np.isin(trace.awaited[:, 0], self.order)])
        per_block = max(trace.index.nbytes * 3 + 2 * trace.addresses.nbytes, 1) / len(blocks)
        fits = max(1, int(BATCH_BYTES / per_block))
        self._batch = min(fits, max(1, BATCH_WARPS // self.warps_per_block), 8 * self._batch)
        self._batch = max(self.cluster, self._batch - self._batch % self.cluster)
        return trace


def cut(trace: BlockTrace, first: int, last: int, warps_per_block: int) -> BlockTrace:
    """Blocks first to last of a trace, as views."""
    warps = slice(first * warps_per_block, last * warps_per_block + 1)
    starts, rows = trace.first[warps], trace.first_access[warps]
    part, access = slice(starts[0], starts[-1]), slice(rows[0], rows[-1])
    return BlockTrace(
        trace.blocks[first:last], starts - starts[0], trace.index[part], trace.mask[part], trace.active[part],
        rows - rows[0], trace.addresses[access],
        trace.awaited[np.isin(trace.awaited[:, 3], trace.blocks[first:last])] if len(trace.awaited) else trace.awaited,
    )  # fmt: skip
