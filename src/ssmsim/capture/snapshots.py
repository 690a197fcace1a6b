"""Copies of buffers in the host's memory, and their bytes in files, as long as a trial may ask for them."""

import hashlib
import os
import threading
import time
import weakref
from collections import Counter, deque
from pathlib import Path
from typing import Any

from ssmsim.capture.pool import Pool

SHARE = 4  # copies take a quarter of the memory that is left when the first is made,
LEAST_BYTES, MOST_BYTES = 1 << 30, 8 << 30  # no less than this (a control group counts caches as used), and no more
LOOK_SECONDS = 0.02  # how often a program that waits looks whether there is room
Buffer = dict[str, Any]


def room() -> int:
    """Bytes that copies may take."""
    return max(LEAST_BYTES, min(MOST_BYTES, available() // SHARE))


def available(root: Path = Path("/")) -> int:
    """Bytes of memory that this process can still have: of the machine (proc/meminfo), and of its control group. root: of
    the files that say so.
    """
    left = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        lines = (root / "proc/meminfo").read_text().splitlines()
        left = next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        pass
    try:
        most, used = (int((root / "sys/fs/cgroup" / f"memory.{name}").read_text()) for name in ("max", "current"))
        left = min(left, max(0, most - used))
    except (OSError, ValueError):  # no control group, or none with a limit
        pass
    return left


class Files:
    """Bytes of buffers for trials, each once, as long as somebody uses them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._uses: Counter[Path] = Counter()
        self._lock = threading.Lock()

    def put(self, data: bytes) -> Path:
        """The file with some bytes, whose name is their hash. It stays until `drop` is called as often as it was asked for."""
        file = self.folder / hashlib.sha256(data).hexdigest()
        with self._lock:
            if not self._uses[file]:
                file.write_bytes(data)
            self._uses[file] += 1
        return file

    def hold(self, file: Path) -> None:
        with self._lock:
            self._uses[file] += 1

    def drop(self, file: Path) -> None:
        with self._lock:
            self._uses[file] -= 1
            if not self._uses[file]:
                file.unlink()


class Copy:
    """A buffer's bytes in the memory of the host, until nobody has it any more."""

    def __init__(self, data: bytes) -> None:
        self.data = data


class Copies:
    """Copies of buffers, no more than fit. One that equals the last of its place is kept once."""

    def __init__(self, most: int, pool: Pool) -> None:
        """most: bytes. pool: whose tasks end when there is room again."""
        self.most, self.pool = most, pool
        self._used = 0
        self._freed: deque[int] = deque()  # bytes: the interpreter may free a copy anywhere, also under the lock
        self._lock = threading.Lock()
        self._latest: weakref.WeakValueDictionary[tuple[int, int], Copy] = weakref.WeakValueDictionary()

    def fit(self, buffers: list[Buffer], wait: bool = True) -> bool:
        """Wait until there is room for buffers, and take it; False at once where there never is. wait: else False where
        there is none now.
        """
        return self._reserve(sum(b["bytes"] for b in buffers), wait)

    def of(self, address: int, data: bytes, reserved: bool = False) -> Copy:
        """The copy of a buffer with these bytes. reserved: there is room for it; else it is waited for, as far as it helps."""
        latest = self._latest.get((address, len(data)))
        if latest is not None and latest.data == data:
            if reserved:
                self.release(len(data))
            return latest
        taken = len(data) if reserved or self._reserve(len(data)) else 0
        copy = self._latest[address, len(data)] = Copy(data)
        weakref.finalize(copy, self.release, taken).atexit = False
        return copy

    def release(self, size: int) -> None:
        """Give back room that was taken for buffers."""
        self._freed.append(size)

    def _reserve(self, size: int, wait: bool = True) -> bool:
        if size > self.most:
            return False
        while True:
            with self._lock:
                while self._freed:
                    self._used -= self._freed.popleft()
                if self._used + size <= self.most or self.pool.failure is not None:
                    self._used += size
                    return True
            if not wait:
                return False
            time.sleep(LOOK_SECONDS)
