"""Where the pixels of a tensor copy in im2col mode lie, from the row that a trace has of it (see BlockTrace)."""

from __future__ import annotations

import numpy as np
from numba import njit

# Lanes of the row. Four dimensions each, W, H, D and N: those that a tensor of lower rank lacks have one place, 0.
PIXELS = 10  # -1 in rows of other copies
STEPS = 11  # from one pixel to the next: a byte per dimension, W lowest
START = 12  # coordinates of the first pixel
CHANNEL = 16  # address of the first channel inside the tensor at pixel (0, 0, 0, 0); -1: the copy touches nothing
RUN = 17  # bytes of a pixel: its channels inside the tensor
LOWER, UPPER = 18, 21  # of W, H, D: first and last coordinate of the box that the walk stays in
SIZE = 24  # pixels of the tensor
STRIDE = 28  # bytes from one pixel to the next


@njit(cache=True)
def pixel_addresses(row: np.ndarray, out: np.ndarray) -> int:
    """Addresses of the first byte of each pixel of a copy, RUN bytes each: how many pixels.

    row: int64 [32]. out: int64 [at least 1024], filled in the order of shared memory; -1 for pixels outside the tensor.
    """
    w, h, d, n = row[START], row[START + 1], row[START + 2], row[START + 3]
    steps = row[STEPS]
    for k in range(row[PIXELS]):
        inside = 0 <= w < row[SIZE] and 0 <= h < row[SIZE + 1] and 0 <= d < row[SIZE + 2] and 0 <= n < row[SIZE + 3]
        out[k] = -1
        if inside and row[CHANNEL] >= 0:
            out[k] = row[CHANNEL] + w * row[STRIDE] + h * row[STRIDE + 1] + d * row[STRIDE + 2] + n * row[STRIDE + 3]
        w += steps & 0xFF
        if w > row[UPPER]:
            w = row[LOWER]
            h += steps >> 8 & 0xFF
            if h > row[UPPER + 1]:
                h = row[LOWER + 1]
                d += steps >> 16 & 0xFF
                if d > row[UPPER + 2]:
                    d = row[LOWER + 2]
                    n += steps >> 24 & 0xFF
    return row[PIXELS]
