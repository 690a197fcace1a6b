"""What the warps of a batch executed, kept as stretches of code, and turned into a BlockTrace at the end."""

import numpy as np
from numba import njit

from ssmsim.trace import spare
from ssmsim.trace.types import BlockTrace


@njit(cache=True)
def _place_stretch(index, mask, active, at, warps, start, length, masks):
    for i in range(warps.size):
        first, m = at[warps[i]], masks[i]
        for k in range(length):
            index[first + k] = start + k
            mask[first + k] = m
            active[first + k] = m


@njit(cache=True)
def _place_masks(mask, at, warps, offset, masks):
    for i in range(warps.size):
        mask[at[warps[i]] + offset] = masks[i]


@njit(cache=True)
def _place_rows(addresses, at, warps, rows):
    for i in range(warps.size):
        first = at[warps[i]]
        for k in range(rows.shape[1]):
            for lane in range(32):
                addresses[first + k, lane] = rows[i, k, lane]
        at[warps[i]] = first + rows.shape[1]


class Log:
    """Stretches in the order they ran. A stretch: warps, first instruction, length, lanes, and what deviates inside.

    left_out: (warp, first and last instruction, first and last row) of what does not belong into its stream (polls.py).
    kept: bool[warps], those whose streams are wanted; None: all.
    """

    def __init__(self, warps: int) -> None:
        self.executed = np.zeros(warps, np.int64)
        self.rows = np.zeros(warps, np.int64)
        self.stretches: list[tuple] = []
        self.left_out: list[tuple[int, int, int, int, int]] = []
        self.kept: np.ndarray | None = None

    def widen(self, kept: np.ndarray | None, warps: int) -> None:
        """Room for that many warps more. kept: whether the streams of each are wanted, None: all."""
        self.executed, self.rows = (np.concatenate([a, np.zeros(warps, np.int64)]) for a in (self.executed, self.rows))
        if self.kept is not None and kept is not None:
            self.kept = np.concatenate([self.kept, kept])

    def add(
        self,
        warps: np.ndarray,
        start: int,
        length: int,
        mask: np.ndarray,
        masks: list[tuple[int, np.ndarray]],
        rows: list[np.ndarray],
    ) -> None:
        """masks: (offset in the stretch, uint32[W]) of guarded instructions; rows: int64 [W, k, 32] addresses, in
        order.
        """
        self.executed[warps] += length
        if rows:
            self.rows[warps] += sum(r.shape[1] for r in rows)
        if self.kept is not None:
            inside = self.kept[warps]
            if not inside.any():
                return
            if not inside.all():
                warps, mask = warps[inside], mask[inside]
                masks, rows = [(k, values[inside]) for k, values in masks], [r[inside] for r in rows]
        self.stretches.append((warps, start, length, mask, masks, rows))

    def trace(self, blocks: np.ndarray) -> BlockTrace:
        """All stretches as one BlockTrace; the log is empty afterwards."""
        executed, made = self.executed, self.rows
        if self.kept is not None:
            executed, made = np.where(self.kept, executed, 0), np.where(self.kept, made, 0)
        first = np.concatenate([[0], np.cumsum(executed)])
        first_access = np.concatenate([[0], np.cumsum(made)])
        index = spare.array(first[-1], np.int32)
        mask, active = spare.array(first[-1], np.uint32), spare.array(first[-1], np.uint32)
        addresses = spare.array((first_access[-1], 32), np.int64)
        at, row_at = first[:-1].copy(), first_access[:-1].copy()
        self.stretches.reverse()
        while self.stretches:
            warps, start, length, lanes, masks, rows = self.stretches.pop()
            _place_stretch(index, mask, active, at, warps, start, length, lanes)
            for offset, values in masks:
                _place_masks(mask, at, warps, offset, values)
            for row in rows:
                _place_rows(addresses, row_at, warps, row)
            at[warps] += length
        trace = BlockTrace(blocks, first, index, mask, active, first_access, addresses)
        return self._without(trace) if self.left_out else trace

    def is_left_out(self, warps: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """bool[n]: do instructions (int64, as they were executed) of some warps belong to what is left out?"""
        if not self.left_out:
            return np.zeros(len(warps), bool)
        spans = np.array(sorted(span[:3] for span in self.left_out), np.int64)
        start, end = spans[:, 0] << 32 | spans[:, 1], spans[:, 0] << 32 | spans[:, 2]
        at = warps << 32 | numbers
        k = np.searchsorted(start, at, "right") - 1
        return (k >= 0) & (at < end[k])

    def _without(self, trace: BlockTrace) -> BlockTrace:
        """The trace without what is left out."""
        stays, rows = np.ones(len(trace.index), bool), np.ones(len(trace.addresses), bool)
        for warp, first, last, first_row, last_row in self.left_out:
            if self.kept is None or self.kept[warp]:
                stays[trace.first[warp] + first : trace.first[warp] + last] = False
                rows[trace.first_access[warp] + first_row : trace.first_access[warp] + last_row] = False
        ends, row_ends = (np.concatenate([[0], np.cumsum(a)]) for a in (stays, rows))
        return BlockTrace(
            trace.blocks, ends[trace.first], trace.index[stays], trace.mask[stays], trace.active[stays],
            row_ends[trace.first_access], trace.addresses[rows],
        )  # fmt: skip
