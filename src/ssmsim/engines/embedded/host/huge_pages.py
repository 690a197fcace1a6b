"""Memory for the state, in the host's huge pages: thousands of warps and their streams lie apart, and with pages of 4 KB
the host spent a tenth of the loop's time on finding where.

What NumPy allocates itself is often memory used before, which the host does not make huge pages of any more.
"""

import mmap

import numpy as np

from ssmsim.engines.embedded.state.records import HOST_LINE, Records

PAGE = 1 << 21  # bytes of a huge page
CHUNK = 4 * PAGE  # taken from the host at once, at least


class Room:
    """Hands out zeroed arrays, small ones beside each other; memory goes back when all arrays of a chunk are gone."""

    def __init__(self) -> None:
        self.chunk, self.used = np.zeros(0, np.uint8), 0

    def array(self, count: int, dtype: np.dtype | type) -> np.ndarray:
        """`count` zeroed items; the first begins a line of the host's cache."""
        size = count * np.dtype(dtype).itemsize
        if self.used + size > len(self.chunk):
            self.chunk, self.used = chunk(size), 0
        first = self.used
        self.used += -(-size // HOST_LINE) * HOST_LINE
        return self.chunk[first : first + size].view(dtype)

    def records(self, dtype: np.dtype, count: int) -> Records:
        """The same with attribute access, compiled or not."""
        return self.array(count, dtype).view(np.recarray)


def chunk(size: int) -> np.ndarray:
    """Zeroed bytes of fresh memory, whole huge pages where the host has them."""
    whole = max(CHUNK, -(-size // PAGE) * PAGE)
    memory = mmap.mmap(-1, whole + PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # shared memory gets no huge pages
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    room = np.frombuffer(memory, np.uint8)
    first = -room.ctypes.data % PAGE
    return room[first : first + whole]
