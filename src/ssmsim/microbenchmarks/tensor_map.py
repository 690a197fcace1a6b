"""Tensor maps (CUtensorMap) of two dimensions, as arguments of measured kernels: the map, and behind it the tensor."""

from dataclasses import dataclass

import numpy as np

MAP_BYTES, DATA_AT = 128, 4096
F16, F32 = 6, 7  # type codes
ELEMENT_BYTES = {F16: 2, F32: 4}
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}  # bytes: code


def tensor_map_2d(
    address: int, width: int, height: int, pitch: int, box: tuple[int, int], swizzle: int = 0, kind: int = F16
) -> np.ndarray:
    """uint32[32]: width, height, box in elements (innermost first), pitch in bytes from row to row, swizzle in bytes.

    The layout is what cuTensorMapEncodeTiled writes; tma/tensor_load compares the two.
    """
    words = np.zeros(MAP_BYTES // 4, np.uint32)
    code = SWIZZLES[swizzle]
    words[0], words[1] = address & 0xFFFFFFFF, address >> 32
    words[2] = 1 << 4 | kind << 7 | code << 13
    words[3], words[7] = pitch >> 4 & 0xFFFFFFFF, pitch >> 36 & 15
    words[8], words[9] = width - 1, height - 1
    words[13], words[14] = (box[0] - 1) << 24, box[1] - 1
    words[16] = box[0] * box[1] * ELEMENT_BYTES[kind]
    words[18] = 0x10 | (1 << 7 + code if code else 0)
    return words


@dataclass(frozen=True)
class Tensor2D:
    """A buffer with `maps` equal tensor maps, each in 128 bytes, and a tensor of zeros from byte `data_at` on.

    rows, pitch (bytes): of the tensor. box: (bytes, rows) of a tile.
    """

    rows: int
    pitch: int
    box: tuple[int, int]
    swizzle: int = 0
    kind: int = F16
    maps: int = 1

    @property
    def data_at(self) -> int:
        return max(DATA_AT, -(-self.maps * MAP_BYTES // DATA_AT) * DATA_AT)

    @property
    def bytes(self) -> int:
        return self.data_at + self.rows * self.pitch

    def contents(self, address: int) -> np.ndarray:
        """uint32[bytes / 4]"""
        element = ELEMENT_BYTES[self.kind]
        words = tensor_map_2d(
            address + self.data_at, self.pitch // element, self.rows, self.pitch, (self.box[0] // element, self.box[1]),
            self.swizzle, self.kind,
        )  # fmt: skip
        data = np.zeros(self.bytes // 4, np.uint32)
        data[: self.maps * len(words)] = np.tile(words, self.maps)
        return data
