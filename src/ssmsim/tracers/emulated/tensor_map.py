"""Descriptors of tensors in global memory (CUtensorMap), and which elements a tile of one has.

The driver's have 128 bytes; copies read the first 64, since libraries keep others in the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ssmsim.errors import SsmsimError

BYTES = 64
# Type codes: (name, bytes per element).
TYPES = {
    0: ("u8", 1), 1: ("u16", 2), 2: ("u32", 4), 3: ("s32", 4), 4: ("u64", 8), 5: ("s64", 8), 6: ("f16", 2), 7: ("f32", 4),
    8: ("f32.ftz", 4), 9: ("f64", 8), 10: ("bf16", 2),
}  # fmt: skip
SWIZZLE_MASKS = (0, 0x10, 0x30, 0x70)  # address bits that are exchanged for those 3 above: none, 32, 64, 128 bytes
SWIZZLE_SPANS = (0, 32, 64, 128)


@dataclass(frozen=True)
class TensorMap:
    """A tiled tensor. dims, strides, box, steps: per dimension, innermost first; strides in bytes (the first is one
    element's), box and dims in elements, steps: the element strides. kind: name of the type, tf32 included.
    """

    address: int
    kind: str
    element: int
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    steps: tuple[int, ...]
    swizzle: int
    fills_nan: bool

    @property
    def rank(self) -> int:
        return len(self.dims)

    @property
    def counts(self) -> tuple[int, ...]:
        """Elements of a tile in each dimension."""
        return tuple(-(-b // s) for b, s in zip(self.box, self.steps, strict=True))

    @property
    def pitch(self) -> int:
        """Bytes from one row of a tile (its innermost dimension) to the next in shared memory: a swizzle fills its span."""
        return max(self.counts[0] * self.element, SWIZZLE_SPANS[self.swizzle])

    @property
    def place_bytes(self) -> int:
        """Bytes of shared memory that a tile takes."""
        return int(np.prod(self.counts[1:])) * self.pitch

    @property
    def tile_bytes(self) -> int:
        """Bytes of a tile, elements out of bounds included: what a load's mbarrier counts."""
        return int(np.prod(self.counts)) * self.element

    def span(self, at: np.ndarray) -> np.ndarray:
        """(first, last) addresses of elements of tiles at coordinates int64 [rank, W] that lie inside: int64 [2, W],
        (-1, -1) where none does.
        """
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

    def tile(self, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(addresses int64, whether they lie inside) of the elements of the tile at coordinates int64 [rank], innermost
        dimension fastest.
        """
        address, inside = np.array([self.address]), np.array([True])
        for start, size, stride, count, step in zip(at, self.dims, self.strides, self.counts, self.steps, strict=True):
            index = int(start) + step * np.arange(count)
            address = (address[None, :] + (index * stride)[:, None]).reshape(-1)
            inside = (inside[None, :] & ((index >= 0) & (index < size))[:, None]).reshape(-1)
        return address, inside

    def swizzled(self, address: int) -> np.ndarray:
        """int64: shared addresses (offsets) of a tile's elements, when it lies at `address`."""
        inner = self.counts[0]
        index = np.arange(int(np.prod(self.counts)))
        place = address + index // inner * self.pitch + index % inner * self.element
        return np.asarray(place ^ (place >> 3 & SWIZZLE_MASKS[self.swizzle]))

    def refuse_data(self, where: object) -> None:
        """SsmsimError for layouts and types whose data nobody has measured; sizes and addresses are right all the same."""
        if self.kind.startswith("tf32"):
            raise SsmsimError("a tensor copy that rounds to tf32 is not emulated", where, "copy float32")
        inner = self.counts[0] * self.element
        if self.swizzle and inner > SWIZZLE_SPANS[self.swizzle]:
            what = (
                f"a tile of {inner} bytes in its inner dimension with a swizzle of {SWIZZLE_SPANS[self.swizzle]} bytes"
            )
            raise SsmsimError(what, where, "no driver makes such a tensor map")


def tensor_map(data: bytes, where: object) -> TensorMap:
    """The descriptor in 64 bytes (32-bit little-endian words, as ptxas' own code writes them).

    Raises SsmsimError naming `where` for im2col, interleaved layouts, unknown types and swizzles that are not emulated.
    """
    words = [int(w) for w in np.frombuffer(data[:BYTES], "<u4")]
    flags = words[2]
    rank, code, interleave = (flags >> 4 & 7) + 1, flags >> 7 & 15, flags >> 11 & 3
    for wrong, what in (
        (flags & 1, "im2col"), (interleave, "interleave"), (flags >> 22 & 1 or flags >> 19 & 3, "its kind of swizzle"),
        (code not in TYPES, f"type {code}"), (rank > 5, f"rank {rank}"),
    ):  # fmt: skip
        if wrong:
            raise SsmsimError(f"a tensor map with {what} is not emulated", where, "use tiles without it")
    kind, element = TYPES[code]
    if flags >> 16 & 1:
        kind = "tf32"
    high = [words[7] >> 4 * i & 15 for i in range(4)]
    strides = [(words[3 + i] | high[i] << 32) << 4 for i in range(rank - 1)]
    box = [words[13] >> 24, *(words[14] >> 8 * i & 255 for i in range(4))]
    steps = [1, *((words[13] >> 3 * i & 7) + 1 for i in range(1, 5))]  # the innermost one counts only when interleaved
    return TensorMap(
        words[0] | words[1] << 32, kind, element, tuple(w + 1 for w in words[8 : 8 + rank]), (element, *strides),
        tuple(b + 1 for b in box[:rank]), tuple(steps[:rank]), flags >> 13 & 3, bool(flags >> 15 & 1),
    )  # fmt: skip
