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
    """Stretches in the order they ran. A stretch: warps, first instruction, length, lanes, and what deviates inside."""

    def __init__(self, warps: int) -> None:
        self.executed = np.zeros(warps, np.int64)
        self.rows = np.zeros(warps, np.int64)
        self.stretches: list[tuple] = []

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
        self.stretches.append((warps, start, length, mask, masks, rows))

    def trace(self, blocks: np.ndarray) -> BlockTrace:
        """All stretches as one BlockTrace; the log is empty afterwards."""
        first = np.concatenate([[0], np.cumsum(self.executed)])
        first_access = np.concatenate([[0], np.cumsum(self.rows)])
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
        return BlockTrace(blocks, first, index, mask, active, first_access, addresses)
