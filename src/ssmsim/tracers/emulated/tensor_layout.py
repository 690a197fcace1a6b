"""What tiled and im2col tensor maps have in common: the tensor, and how elements lie in shared memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ssmsim.errors import SsmsimError

SWIZZLE_MASKS = (0, 0x10, 0x30, 0x70)  # address bits that are exchanged for those 3 above: none, 32, 64, 128 bytes
SWIZZLE_SPANS = (0, 32, 64, 128)
TF32 = "tf32"  # the type of tensors of float32 that loads round
UNIT = 16  # bytes: copies begin at a multiple in the innermost dimension, and stores end at one


def to_tf32(bits: np.ndarray) -> np.ndarray:
    """float32 as uint32, as a load rounds it on an H200: to nearest even, 13 bits dropped, one NaN; denormals stay."""
    rounded = bits + (np.uint32(0xFFF) + (bits >> np.uint32(13) & np.uint32(1))) & np.uint32(0xFFFFE000)
    return np.where(bits & np.uint32(0x7FFFFFFF) > 0x7F800000, np.uint32(0x7FFFE000), rounded)


@dataclass(frozen=True)
class TensorLayout(ABC):
    """A tensor. dims, strides, steps: per dimension, innermost first; strides in bytes (the first is one element's),
    dims in elements, steps: the element strides. kind: name of the type, tf32 included.
    """

    address: int
    kind: str
    element: int
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    steps: tuple[int, ...]
    swizzle: int
    fills_nan: bool

    @property
    def rank(self) -> int:
        return len(self.dims)

    @property
    @abstractmethod
    def counts(self) -> tuple[int, ...]:
        """Elements that a copy moves in each dimension of what lies in shared memory, innermost first."""

    @abstractmethod
    def span(self, at: np.ndarray, offsets: np.ndarray) -> np.ndarray:
        """(first, last) addresses of elements inside the tensor, of copies at coordinates int64 [rank, W].

        int64 [2, W], (-1, -1) where there are none. offsets: int64 [rank - 2, W], of copies in im2col mode.
        """

    @abstractmethod
    def places(self, at: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(addresses int64, whether they lie inside) of the elements of the copy at coordinates int64 [rank].

        In the order of shared memory. offsets: int64 [rank - 2].
        """

    @property
    def pitch(self) -> int:
        """Bytes of shared memory from one row (the innermost dimension) to the next: a swizzle fills its span."""
        return max(self.counts[0] * self.element, SWIZZLE_SPANS[self.swizzle])

    @property
    def place_bytes(self) -> int:
        """Bytes of shared memory that a copy takes."""
        return int(np.prod(self.counts[1:])) * self.pitch

    @property
    def copy_bytes(self) -> int:
        """Bytes of a copy, elements out of bounds included: what a load's mbarrier counts."""
        return int(np.prod(self.counts)) * self.element

    def swizzled(self, address: int) -> np.ndarray:
        """int64: shared addresses (offsets) of a copy's elements, when it lies at `address`."""
        inner = self.counts[0]
        index = np.arange(int(np.prod(self.counts)))
        place = address + index // inner * self.pitch + index % inner * self.element
        return np.asarray(place ^ (place >> 3 & SWIZZLE_MASKS[self.swizzle]))

    def padded(self) -> Self:
        """The map as stores and reductions see it: an H200 moves whole units of 16 bytes, past the last element too."""
        unit = UNIT // self.element
        return replace(self, dims=(-(-self.dims[0] // unit) * unit, *self.dims[1:]))

    def refuse_coordinates(self, at: np.ndarray, stores: bool, where: object) -> None:
        """SsmsimError naming `where` for coordinates int64 [rank, W] that fault on an H200 (illegal instruction)."""
        wrong = at[0] * self.element % UNIT != 0
        if wrong.any():
            first = int(at[0][wrong][0])
            what = f"a tensor copy from element {first} of the innermost dimension on, not a multiple of {UNIT} bytes"
            raise SsmsimError(what, where, "a fault on a GPU")
        if stores and (at < 0).any():
            raise SsmsimError("a tensor store with a negative coordinate", where, "a fault on a GPU")

    def refuse_data(self, stores: bool, where: object) -> None:
        """SsmsimError for layouts and types whose data nobody has measured; sizes and addresses are right anyway."""
        if stores and self.kind == TF32:
            raise SsmsimError("a tensor store that rounds to tf32 is not emulated", where, "store float32")
        inner = self.counts[0] * self.element
        if self.swizzle and inner > SWIZZLE_SPANS[self.swizzle]:
            what = (
                f"a tile of {inner} bytes in its inner dimension with a swizzle of {SWIZZLE_SPANS[self.swizzle]} bytes"
            )
            raise SsmsimError(what, where, "no driver makes such a tensor map")
