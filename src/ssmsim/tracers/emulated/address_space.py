"""Addresses of memory instructions, the memory image of a launch's buffers, and what loads, stores and atomics do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from ssmsim.contents import read_contents
from ssmsim.errors import SsmsimError
from ssmsim.launch import Buffer, Launch
from ssmsim.tracers.emulated import module
from ssmsim.tracers.emulated.hardware import GRID_WORKSPACE, GRID_WORKSPACE_BYTES, reads_parameters

if TYPE_CHECKING:
    from ssmsim.sass.instruction import Instruction
    from ssmsim.sass.kernel_elf import Kernel

ALIGN = 512


@njit(cache=True)
def _stray(addresses, mask, starts, ends, width):
    """First (row, lane) in the mask whose `width` bytes are not inside one region; (-1, -1) when all are."""
    last = 0
    for i in range(addresses.shape[0]):
        m = mask[i]
        for lane in range(32):
            if not m >> lane & 1:
                continue
            a = addresses[i, lane if addresses.shape[1] > 1 else 0]
            if a < 0 or (starts[last] <= a and a + width <= ends[last]):
                continue
            low, high = 0, starts.size
            while low < high:
                middle = (low + high) // 2
                if starts[middle] <= a:
                    low = middle + 1
                else:
                    high = middle
            if low == 0 or a + width > ends[low - 1]:
                return i, lane
            last = low - 1
    return -1, -1


class Outside(SsmsimError):
    """An access to memory that no buffer of the launch holds. addresses: all that the instruction's lanes name there."""

    def __init__(self, what: str, where: object, addresses: Iterable[int]) -> None:
        super().__init__(what, where, "record this buffer")
        self.addresses = frozenset(addresses)


class Image:
    """Device memory as the launches see it: one region per allocation, bytes in one array.

    starts, ends int64[regions]: addresses. A region's first byte lies at data[places[k]]. Regions never overlap;
    several buffers of one allocation share one. Memory is only touched where something is written. marks: per byte, 0
    not recorded, 1 known, else a label (unknown.py).
    """

    def __init__(self, spans: Sequence[tuple[int, int, str]], store: bool) -> None:
        """spans: (address, bytes, name); store: keep bytes (else only bounds)."""
        merged: list[tuple[int, int, str]] = []
        for start, size, name in sorted(spans):
            if merged and start < merged[-1][0] + merged[-1][1]:
                first, length, names = merged[-1]
                merged[-1] = (first, max(length, start + size - first), f"{names}, {name}")
            else:
                merged.append((start, size, name))
        self.names = [name for _, _, name in merged]
        self.starts = np.array([start for start, _, _ in merged] or [0], np.int64)
        self.ends = np.array([start + size for start, size, _ in merged] or [0], np.int64)
        sizes = (self.ends - self.starts + ALIGN - 1) // ALIGN * ALIGN + ALIGN
        self.places = np.concatenate([[ALIGN], ALIGN + np.cumsum(sizes)[:-1]]) + self.starts % ALIGN
        total = int(sizes.sum()) + 4 * ALIGN if store else 0
        try:
            self.data, self.marks = np.zeros(total, np.uint8), np.zeros(total, np.uint8)
        except MemoryError:
            what = f"its buffers have {total} bytes together, which do not fit into this machine's memory"
            raise SsmsimError(what, "memory image", "give smaller buffers") from None
        self.pending: dict[int, list[tuple[Launch, Buffer]]] = {}  # contents not yet read, by region
        self.spoiled: list[np.ndarray] = []  # places marked SPOILED while the present batch runs
        self.readers: np.ndarray | None = None  # per 4 bytes: block (+ 1) that a strong load read them for, -1: several

    @classmethod
    def of(
        cls, launches: Sequence[Launch], store: bool = True, contents: bool = True, kernel: Kernel | None = None
    ) -> Image:
        """The memory of all buffers of some launches, filled with the first one's recorded contents of each.

        kernel: the module variables of its cubin have their places, too.
        """
        spans = [(b.address, b.bytes, b.name or f"buffer {i}") for x in launches for i, b in enumerate(x.buffers)]
        if kernel is not None:
            spans += module.spans(launches[0], kernel)
            address, size = reads_parameters(kernel)
            spans += [(address, size, "the parameters")] if size else []
            if launches[0].cooperative:
                end = GRID_WORKSPACE + GRID_WORKSPACE_BYTES
                if any(first < end and first + size > GRID_WORKSPACE for first, size, _ in spans):
                    what = f"a buffer lies at {GRID_WORKSPACE:#x}, where the workspace of grid.sync() is put"
                    raise SsmsimError(what, launches[0].folder / "launch.json", "capture the launch again")
                spans.append((GRID_WORKSPACE, GRID_WORKSPACE_BYTES, "the workspace of grid.sync()"))
        image = cls(spans, store)
        if store and kernel is not None:
            for address, data in module.contents(launches[0], kernel):
                image.write(address, data)
            if kernel.parameter_bytes:
                image.write(reads_parameters(kernel)[0], launches[0].param_bytes)
            if launches[0].cooperative:
                image.write(GRID_WORKSPACE, bytes(GRID_WORKSPACE_BYTES))
        if store and contents:
            for launch in launches[:1]:
                for buffer in launch.buffers:
                    image.fill(launch, buffer)
        return image

    @classmethod
    def lazily(cls, launch: Launch, kernel: Kernel) -> Image:
        """The memory of one launch, whose recorded contents are read when they are first looked at."""
        image = cls.of([launch], contents=False, kernel=kernel)
        for buffer in launch.buffers:
            if buffer.contents is not None:
                image.pending.setdefault(image.region(buffer.address), []).append((launch, buffer))
        return image

    def settle(self, regions: np.ndarray) -> None:
        """Read the contents that are still pending for some regions (their numbers)."""
        for k in [k for k in self.pending if (regions == k).any()]:
            for launch, buffer in self.pending.pop(k):
                self.fill(launch, buffer)

    def fill(self, launch: Launch, buffer: Buffer) -> None:
        """Copy a buffer's recorded contents into the image, when there are any."""
        if buffer.contents is None:
            return
        content = read_contents(launch.folder / buffer.contents, buffer.bytes)
        if len(content) > buffer.bytes:
            raise SsmsimError(
                f"buffer {buffer.name}: {len(content)} bytes of contents for {buffer.bytes}",
                launch.folder / buffer.contents,
            )
        self.write(buffer.address, content)

    def region(self, address: int) -> int:
        """Number of the region that holds an address, -1 when none does."""
        k = int(np.searchsorted(self.starts, address, "right")) - 1
        return k if k >= 0 and address < self.ends[k] else -1

    def write(self, address: int, content: bytes | np.ndarray) -> None:
        """Put bytes at a device address. SsmsimError when they do not fit into one allocation."""
        content = np.frombuffer(content, np.uint8) if isinstance(content, bytes) else content.reshape(-1).view(np.uint8)
        k = self.region(address)
        if k < 0 or address + len(content) > self.ends[k]:
            raise SsmsimError(f"{len(content)} bytes at {address:#x} lie outside every buffer", "memory image")
        place = int(self.places[k] + address - self.starts[k])
        self.data[place : place + len(content)] = content
        self.marks[place : place + len(content)] = 1

    def read(self, address: int, size: int) -> np.ndarray:
        """uint8[size] at a device address. SsmsimError when it is outside every buffer."""
        k = self.region(address)
        if k < 0 or address + size > self.ends[k]:
            raise SsmsimError(f"{size} bytes at {address:#x} lie outside every buffer", "memory image")
        place = int(self.places[k] + address - self.starts[k])
        return self.data[place : place + size].copy()

    def check(self, addresses: np.ndarray, mask: np.ndarray, width: int, ins: Instruction) -> None:
        """Raise SsmsimError (PC, text, address, nearest buffer) when a lane in `mask` is outside every buffer.

        addresses int64 [W, 32] (negative: no access), mask uint32 [W].
        """
        row, lane = _stray(addresses, mask, self.starts, self.ends, width)
        if row >= 0:
            address = int(addresses[row, lane])
            k = int(np.abs(self.starts - address).argmin())
            near = (
                f"nearest is {self.names[k]} at {self.starts[k]:#x}, {self.ends[k] - self.starts[k]} bytes"
                if self.names
                else ""
            )
            raise Outside(
                f"address {address:#x} lies outside every buffer ({near})",
                ins.where,
                self._strays(addresses, mask, width),
            )

    def _strays(self, addresses: np.ndarray, mask: np.ndarray, width: int) -> list[int]:
        """All addresses that `check` finds outside."""
        lanes = (mask[:, None] >> np.arange(32, dtype=np.uint32) & 1).astype(bool)
        addresses = np.broadcast_to(addresses, lanes.shape)
        lanes &= addresses >= 0
        k = np.searchsorted(self.starts, addresses, "right") - 1
        return [int(a) for a in np.unique(addresses[lanes & ((k < 0) | (addresses + width > self.ends[k]))])]

    def place(self, addresses: np.ndarray, lanes: np.ndarray) -> np.ndarray:
        """Indices into `data`, int64 [W, 32], of addresses that `check` passed; idle lanes get 0."""
        k = np.clip(np.searchsorted(self.starts, addresses, "right") - 1, 0, None)
        if self.pending:
            self.settle(k[lanes])
        return np.where(lanes, addresses - self.starts[k] + self.places[k], 0)

    def region_of_place(self, place: np.ndarray) -> np.ndarray:
        """Numbers of the regions that indices into `data` lie in."""
        return np.clip(np.searchsorted(self.places, place, "right") - 1, 0, None)


def gather(data: np.ndarray, place: np.ndarray, width: int, signed: bool) -> np.ndarray:
    """Little-endian values at byte indices of data: uint32 [n, W, 32] (n = width / 4, at least 1)."""
    if width >= 4:
        words, first = data[: data.size // 4 * 4].view(np.uint32), place >> 2
        return np.stack([words[first + k] for k in range(width // 4)])
    if width == 2:
        value = data[: data.size // 2 * 2].view(np.uint16)[place >> 1]
        return (value.view(np.int16).astype(np.int32).view(np.uint32) if signed else value.astype(np.uint32))[None]
    value = data[place]
    return (value.view(np.int8).astype(np.int32).view(np.uint32) if signed else value.astype(np.uint32))[None]


def scatter(data: np.ndarray, place: np.ndarray, width: int, values: np.ndarray, lanes: np.ndarray) -> None:
    """Store uint32 [n, W, 32] values at byte indices, in the lanes of a mask; the highest lane wins a conflict."""
    chosen = place[lanes]
    if width >= 4:
        words = data[: data.size // 4 * 4].view(np.uint32)
        for k in range(width // 4):
            words[(chosen >> 2) + k] = values[k][lanes]
    elif width == 2:
        data[: data.size // 2 * 2].view(np.uint16)[chosen >> 1] = values[0][lanes].astype(np.uint16)
    else:
        data[chosen] = values[0][lanes].astype(np.uint8)


def check_alignment(addresses: np.ndarray, lanes: np.ndarray, width: int, ins: Instruction) -> None:
    """SsmsimError when an access is not aligned to its width, as the hardware would fault."""
    wrong = lanes & ((addresses & (width - 1)) != 0)
    if wrong.any():
        raise SsmsimError(
            f"address {int(addresses[wrong][0]):#x} is not a multiple of {width}", ins.where, "a fault on a GPU"
        )
