"""A declared measurement: one kernel with few and with many loop rounds; the difference is free of start and end."""

from dataclasses import dataclass
from typing import Any

import numpy as np

i32, u32, u64, f32 = np.int32, np.uint32, np.uint64, np.float32


@dataclass(frozen=True)
class Zeros:
    """A buffer of zeros in global memory."""

    bytes: int

    def contents(self, address: int) -> np.ndarray | None:
        return None


@dataclass(frozen=True)
class Unrecorded(Zeros):
    """Zeros that no saved launch needs: neither an address nor a branch depends on them."""


@dataclass(frozen=True)
class Random:
    """A buffer of random bytes: nothing on the way can be compressed."""

    bytes: int

    def contents(self, address: int) -> np.ndarray:
        piece = np.random.Generator(np.random.PCG64(1)).integers(0, 1 << 62, min(self.bytes, 1 << 24) // 8, u64)
        return np.tile(piece, max(1, self.bytes // piece.nbytes))


@dataclass(frozen=True)
class Chase:
    """A ring of absolute addresses, `stride` bytes apart, in order or shuffled by a seed."""

    bytes: int
    stride: int
    seed: int | None = None

    def contents(self, address: int) -> np.ndarray:
        count = self.bytes // self.stride
        order = np.arange(count)
        if self.seed is not None:
            order = np.concatenate([[0], 1 + np.random.Generator(np.random.PCG64(self.seed)).permutation(count - 1)])
        ring = np.zeros(self.bytes // 8, u64)
        ring[order * (self.stride // 8)] = (address + np.roll(order, -1) * self.stride).astype(u64)
        return ring


@dataclass(frozen=True)
class Loop:
    """Cycles per loop round of kernel(Record* out, int n, *args), from two values of n.

    operations: what one warp does per round. rounds: the two values of n. blocks: one per SM when above 1.
    The kernel's time on an SM is the last end minus the first start of its warps, by the SM's clock. cold: the L2 holds
    clean lines of other memory before every run; else what the run before has left. cluster: blocks in one, along x, as the
    kernel is compiled for.
    """

    name: str
    kernel: str
    operations: float
    threads: int = 32
    blocks: int = 1
    shared: int = 0
    carveout: int = -1
    args: tuple[Any, ...] = ()
    rounds: tuple[int, int] = (20, 120)
    bytes_per_operation: float = 0.0
    replay: bool = False
    cold: bool = False
    cluster: int = 1

    @property
    def warps(self) -> int:
        return -(-self.threads // 32)


def pack(values: list[Any]) -> bytes:
    """The parameter buffer: each value at its natural alignment, as at c[0x0][0x210]."""
    data = b""
    for value in values:
        array = np.atleast_1d(value)
        data += bytes(-len(data) % array.itemsize) + array.tobytes()
    return data
