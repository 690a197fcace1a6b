"""Descriptors of tensors in global memory (CUtensorMap), and which elements a copy of one moves.

The driver's have 128 bytes; copies read the first 64, since libraries keep others in the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.tracers.emulated.im2col import IM2COL_RANKS, Im2colMap, column
from ssmsim.tracers.emulated.tensor_layout import TF32, TensorLayout

BYTES = 64
# Type codes: (name, bytes per element).
TYPES = {
    0: ("u8", 1), 1: ("u16", 2), 2: ("u32", 4), 3: ("s32", 4), 4: ("u64", 8), 5: ("s64", 8), 6: ("f16", 2), 7: ("f32", 4),
    8: ("f32.ftz", 4), 9: ("f64", 8), 10: ("bf16", 2),
}  # fmt: skip


@dataclass(frozen=True)
class TiledMap(TensorLayout):
    """A tiled tensor. box: elements per dimension, innermost first, of a tile with element strides of 1."""

    box: tuple[int, ...]

    @property
    def counts(self) -> tuple[int, ...]:
        """Elements of a tile in each dimension."""
        return tuple(-(-b // s) for b, s in zip(self.box, self.steps, strict=True))

    def span(self, at: np.ndarray, offsets: np.ndarray) -> np.ndarray:
        first, last = np.full(at.shape[1], self.address), np.full(at.shape[1], self.address)
        some = np.ones(at.shape[1], bool)
        for start, size, stride, count, step in zip(at, self.dims, self.strides, self.counts, self.steps, strict=True):
            low = np.maximum(0, -(start // step))
            high = np.minimum(count - 1, (size - 1 - start) // step)
            some &= low <= high
            first = first + (start + low * step) * stride
            last = last + (start + high * step) * stride
        return np.where(some, np.stack([first, last]), -1)

    def runs(self, at: np.ndarray) -> np.ndarray:
        """int64 [2 + 4 + 4, W]: of tiles at coordinates int64 [rank, W] the bytes that lie inside: address of the first (-1:
        none), bytes of a run, and for up to four nested levels how many and bytes from one to the next.
        """
        found = np.zeros((10, at.shape[1]), np.int64)
        found[0], found[2:6] = self.address, 1
        some = np.ones(at.shape[1], bool)
        for level in range(self.rank):
            start, size, stride, step = at[level], self.dims[level], self.strides[level], self.steps[level]
            low = np.maximum(0, -(start // step))
            count = np.minimum(self.counts[level] - 1, (size - 1 - start) // step) - low + 1
            some &= count > 0
            found[0] += (start + low * step) * stride
            found[1 if level == 0 else 1 + level] = count * self.element if level == 0 else count
            if level:
                found[5 + level] = step * stride
        return np.where(some, found, np.array([[-1], [0], *[[0]] * 8]))

    def places(self, at: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        address, inside = np.array([self.address]), np.array([True])
        for start, size, stride, count, step in zip(at, self.dims, self.strides, self.counts, self.steps, strict=True):
            index = int(start) + step * np.arange(count)
            address = (address[None, :] + (index * stride)[:, None]).reshape(-1)
            inside = (inside[None, :] & ((index >= 0) & (index < size))[:, None]).reshape(-1)
        return address, inside


def tensor_map(data: bytes, where: object) -> TiledMap | Im2colMap:
    """The descriptor in 64 bytes (32-bit little-endian words, as ptxas' own code and the driver write them).

    Raises SsmsimError naming `where` for interleaved layouts, unknown types and swizzles that are not emulated.
    """
    words = [int(w) for w in np.frombuffer(data[:BYTES], "<u4")]
    flags = words[2]
    rank, code, interleave, im2col = (flags >> 4 & 7) + 1, flags >> 7 & 15, flags >> 11 & 3, flags & 1
    for wrong, what in (
        (interleave, "interleave"), (flags >> 22 & 1 or flags >> 19 & 3, "its kind of swizzle"),
        (code not in TYPES, f"type {code}"), (rank > 5, f"rank {rank}"),
        (im2col and rank not in IM2COL_RANKS, f"im2col mode and rank {rank}"),
    ):  # fmt: skip
        if wrong:
            raise SsmsimError(f"a tensor map with {what} is not emulated", where, "use tiles without it")
    kind, element = TYPES[code]
    if flags >> 16 & 1:
        kind = TF32
    high = [words[7] >> 4 * i & 15 for i in range(4)]
    strides = [(words[3 + i] | high[i] << 32) << 4 for i in range(rank - 1)]
    steps = [1, *((words[13] >> 3 * i & 7) + 1 for i in range(1, 5))]  # the innermost one counts only when interleaved
    tensor = (
        words[0] | words[1] << 32, kind, element, tuple(w + 1 for w in words[8 : 8 + rank]), (element, *strides),
        tuple(steps[:rank]), flags >> 13 & 3, bool(flags >> 15 & 1),
    )  # fmt: skip
    if im2col:
        return Im2colMap(*tensor, *column(words, rank, where))
    box = [words[13] >> 24, *(words[14] >> 8 * i & 255 for i in range(4))]
    return TiledMap(*tensor, tuple(b + 1 for b in box[:rank]))
