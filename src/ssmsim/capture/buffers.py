"""Which buffers a launch gets: the allocations its pointers fall into, and what is known of the tensors there."""

import struct
from collections.abc import Sequence
from typing import Any

from ssmsim.capture import driver
from ssmsim.capture.describe import PARAMETER_NAMES, TENSORS
from ssmsim.capture.frameworks import Allocations, triton_tensors

MIN_POINTER = 1 << 16


Layout = Sequence[tuple[int, int]]  # (offset, bytes) of each parameter


def find_buffers(kernel: str, layout: Layout, params: bytes) -> list[dict[str, Any]]:
    """Buffers by the order of their pointers among the parameters; names and layouts where they are known."""
    blocks = Allocations()
    hints = list(triton_tensors())
    names = next((v for k, v in PARAMETER_NAMES.items() if k in kernel), {})
    found = []
    for offset, pointer in _pointers(layout, params):
        place = blocks.find(pointer) or driver.allocation_of(pointer)
        if place is None:
            continue
        buffer: dict[str, Any] = {"address": place[0], "bytes": place[1]}
        if pointer != place[0]:
            buffer["pointer"] = pointer
        described = TENSORS.get(pointer)
        hint = next((h for h in hints if h.address == pointer), None)
        if hint is not None:
            hints.remove(hint)
        known = hint or described
        if known is not None:
            buffer["name"] = known.name
            if known.dtype is not None:
                buffer |= {"dtype": known.dtype, "shape": known.shape, "stride": known.stride}
        if offset in names:
            buffer["name"] = names[offset]
        if described is not None:
            buffer["tensor"] = described.name
            if described.recipe is not None and pointer == place[0]:
                buffer["recipe"] = described.name
        found.append(buffer)
    return found


def largest(buffers: Sequence[dict[str, Any]]) -> dict[int, int]:
    """Bytes of the largest buffer at each address, which recorded contents are of. A block of PyTorch's allocator begins
    where the driver's allocation does, and a pointer behind it names the whole of that.
    """
    found: dict[int, int] = {}
    for buffer in buffers:
        found[buffer["address"]] = max(buffer["bytes"], found.get(buffer["address"], 0))
    return found


def _pointers(layout: Layout, params: bytes) -> list[tuple[int, int]]:
    """(offset, value) of every aligned 8-byte word of a parameter that could be a device pointer."""
    found = []
    for offset, size in layout:
        for at in range(offset + -offset % 8, offset + size - 7, 8):
            value = struct.unpack_from("<Q", params, at)[0]
            if MIN_POINTER <= value < 1 << 57:
                found.append((at, value))
    return found
