"""Tensor maps in im2col mode: some channels of a column of pixels, which runs through a box of the tensor.

The column goes along W, H, D, then N (PTX ISA, "im2col mode"). The walk, what is filled and what faults were measured
on an H200 (tests/data/tensor_copies).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.trace import im2col as lanes
from ssmsim.tracers.emulated.tensor_layout import TensorLayout

CORNER_BITS = {3: 16, 4: 8, 5: 5}  # by rank: of a corner's coordinate (signed), and of an offset (unsigned)
MOST_PIXELS = 1024
IM2COL_RANKS = tuple(CORNER_BITS)


def offsets_of(words: np.ndarray, rank: int) -> np.ndarray:
    """int64 [rank - 2, ...]: offsets along W, H, D in the low 16 bits of an operand, unsigned numbers."""
    bits = CORNER_BITS[rank]
    return np.stack([words.astype(np.int64) >> bits * i & (1 << bits) - 1 for i in range(rank - 2)])


def column(words: list[int], rank: int, where: object) -> tuple[tuple[int, ...], tuple[int, ...], int, int]:
    """(lower, upper, channels, pixels) in the words of a descriptor. Raises SsmsimError naming `where`."""
    sign, pixels = 1 << CORNER_BITS[rank] - 1, words[15] + 1
    if pixels > MOST_PIXELS:
        raise SsmsimError(
            f"a tensor map with {pixels} pixels is not emulated", where, "no driver makes such a tensor map"
        )
    lower, upper = (
        tuple(int(v) for v in (offsets_of(np.array(words[14] >> shift), rank) ^ sign) - sign) for shift in (0, 16)
    )
    return lower, upper, (words[13] >> 24) + 1, pixels


@dataclass(frozen=True)
class Im2colMap(TensorLayout):
    """A tensor of pixels (W, H, D, N; channels innermost).

    lower, upper: corners of the box, in pixels of W, H, D: from `lower` to size - 1 + `upper`, both included.
    channels, pixels: of one copy.
    """

    lower: tuple[int, ...]
    upper: tuple[int, ...]
    channels: int
    pixels: int

    @property
    def counts(self) -> tuple[int, ...]:
        return self.channels, self.pixels

    @property
    def last(self) -> list[int]:
        """The last coordinates of the box."""
        return [size - 1 + more for size, more in zip(self.dims[1:-1], self.upper, strict=True)]

    def walk(self, at: np.ndarray, offsets: np.ndarray) -> np.ndarray:
        """int64 [rank - 1, W, pixels]: coordinates of the pixels of copies that start in the box at int64 [rank, W].

        A dimension that leaves the box starts again at its lower corner, and the next one steps. Offsets, int64
        [rank - 2, W], count on top.
        """
        carry, found = np.broadcast_to(np.arange(self.pixels), (at.shape[1], self.pixels)), []
        for i, (low, high) in enumerate(zip(self.lower, self.last, strict=True)):
            start, step = at[1 + i][:, None], self.steps[1 + i]
            first = (high - start) // step + 1  # places before the first return to the lower corner
            again = carry - first
            count = max((high - low) // step + 1, 1)
            place = np.where(again < 0, start + carry * step, low + again % count * step)
            found.append(place + offsets[i][:, None])
            carry = np.where(again < 0, 0, 1 + again // count)
        found.append(at[-1][:, None] + carry * self.steps[-1])
        return np.stack(found)

    def _channels_inside(self, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(first, count) of the channels inside the tensor, of copies at int64 [rank, W]."""
        low = np.maximum(at[0], 0)
        return low, np.maximum(np.minimum(at[0] + self.channels, self.dims[0]) - low, 0)

    def _pixels(self, at: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(addresses int64 of channel 0, whether they lie inside), [W, pixels] each."""
        place = self.walk(at, offsets)
        sizes, strides = (np.array(values[1:])[:, None, None] for values in (self.dims, self.strides))
        return self.address + (place * strides).sum(axis=0), np.all((place >= 0) & (place < sizes), axis=0)

    def span(self, at: np.ndarray, offsets: np.ndarray) -> np.ndarray:
        address, inside = self._pixels(at, offsets)
        low, count = self._channels_inside(at)
        first = np.where(inside, address, np.iinfo(np.int64).max).min(axis=1) + low * self.element
        last = np.where(inside, address, -1).max(axis=1) + (low + count - 1) * self.element
        return np.where(inside.any(axis=1) & (count > 0), np.stack([first, last]), -1)

    def places(self, at: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        address, inside = self._pixels(at[:, None], offsets[:, None])
        channel = int(at[0]) + np.arange(self.channels)
        valid = (channel >= 0) & (channel < self.dims[0])
        return (
            (address[0][:, None] + channel * self.element).reshape(-1),
            (inside[0][:, None] & valid).reshape(-1),
        )

    def row(self, at: np.ndarray, offsets: np.ndarray) -> np.ndarray:
        """int64 [22, W]: lanes PIXELS to 31 of a trace's rows (ssmsim.trace.im2col) of copies at int64 [rank, W]."""
        found = np.zeros((32, at.shape[1]), np.int64)
        inner, n = self.rank - 2, 3
        found[lanes.PIXELS], found[lanes.SIZE : lanes.STRIDE] = self.pixels, 1
        for i in [*range(inner), n]:
            source = self.rank - 1 if i == n else 1 + i
            found[lanes.STEPS] |= self.steps[source] << 8 * i
            found[lanes.START + i] = at[source] + (0 if i == n else offsets[i])
            found[lanes.SIZE + i], found[lanes.STRIDE + i] = self.dims[source], self.strides[source]
        found[lanes.STEPS] |= sum(1 << 8 * i for i in range(inner, n))
        for i in range(inner):
            found[lanes.LOWER + i], found[lanes.UPPER + i] = self.lower[i] + offsets[i], self.last[i] + offsets[i]
        low, count = self._channels_inside(at)
        found[lanes.CHANNEL] = np.where(self.span(at, offsets)[0] < 0, -1, self.address + low * self.element)
        found[lanes.RUN] = count * self.element
        return found[lanes.PIXELS :]

    def refuse_coordinates(self, at: np.ndarray, stores: bool, where: object) -> None:
        super().refuse_coordinates(at, stores, where)
        for i, (low, high) in enumerate(zip(self.lower, self.last, strict=True)):
            wrong = (at[1 + i] < low) | (at[1 + i] > high)
            if wrong.any():
                what = f"{'WHD'[i]} of the first pixel is {int(at[1 + i][wrong][0])}, outside its box, {low} to {high}"
                raise SsmsimError(what, where, "a fault on a GPU")
        if stores and (min(self.lower) < 0 or max(self.upper) > 0):
            raise SsmsimError("a store in im2col mode with a box that leaves the tensor", where, "a fault on a GPU")
