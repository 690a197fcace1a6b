"""Memory for large arrays that come and go in every batch of blocks: what is dropped is used again.

The host clears each page of fresh memory, which took as long as writing what the arrays hold.
"""

import weakref

import numpy as np

SMALL = 1 << 20  # bytes; NumPy itself keeps what is smaller
KEPT = 8  # pieces kept unused, the largest

_unused: list[np.ndarray] = []


def array(shape: int | tuple[int, ...], dtype: np.dtype | type) -> np.ndarray:
    """An array with anything in it, as np.empty; its memory is given away again when no view of it is left."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if size < SMALL:
        return np.empty(shape, dtype)
    fitting = [i for i, piece in enumerate(_unused) if size <= len(piece) <= 4 * size]
    piece = _unused.pop(fitting[0]) if fitting else np.empty(size + size // 4, np.uint8)
    lent = np.frombuffer(piece.data, np.uint8)  # views refer to this one, not to the piece itself
    weakref.finalize(lent, _give_back, piece).atexit = False
    return lent[:size].view(dtype).reshape(shape)


def _give_back(piece: np.ndarray) -> None:
    """Sorted, smallest first: that is what a request takes and what goes when there are too many."""
    _unused.append(piece)
    _unused.sort(key=len)
    del _unused[:-KEPT]
