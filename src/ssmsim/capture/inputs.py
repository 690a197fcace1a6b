"""What a capture records of the memory that a launch finds: what addresses, masks and branches hang on, all, or nothing.

The kernel's code says through which parameters it loads such data (tracers/emulated/provenance.py). Where a pointer lies in
memory, as in the lists of a grouped product or of an optimizer, the buffers that the list names are recorded, too.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ssmsim.capture import driver
from ssmsim.capture.frameworks import Allocations
from ssmsim.capture.reduce import reduce_cubin
from ssmsim.contents import write_contents
from ssmsim.elf_attributes import KernelInfo
from ssmsim.errors import SsmsimError
from ssmsim.sass.decode import decode_image
from ssmsim.tracers.emulated.provenance import WORD, Provenance, provenance

MODES = ("needed", "all", "none")
LIMIT_MIB = 256  # of one buffer
LIST_BYTES = 1 << 20  # a buffer that pointers are looked for in
LOWEST_POINTER = 1 << 32  # device memory lies far above; smaller numbers are counts and indices
MOST_REACHED = 4096  # buffers of one launch that pointers in memory name
Buffer = dict[str, Any]


class Inputs:
    """Reads and keeps contents at each launch. Nothing is kept twice."""

    def __init__(self, folder: Path, mode: str = "needed", limit_mib: int = LIMIT_MIB) -> None:
        """folder: of the capture. limit_mib: a buffer larger than so many MiB is not recorded unless mode is "all"."""
        self.folder, self.mode, self.limit = folder, mode, limit_mib << 20
        self._known: dict[tuple[str, str], Provenance | str] = {}

    def record(
        self, image: bytes, sha256: str, info: KernelInfo, params: bytes, buffers: list[Buffer]
    ) -> tuple[dict[int, str], str]:
        """(file with a buffer's bytes, by its address; why some are missing, "" when none is). Buffers that pointers in
        memory name are put behind the others.

        image, sha256: the loaded cubin. buffers: as find_buffers gives them; one with a recipe is not read.
        """
        if self.mode == "none":
            return {}, ""
        wanted, beyond = buffers, []
        if self.mode == "needed":
            found = self._provenance(image, sha256, info)
            if isinstance(found, str):
                return {}, f"not known which contents are needed: {found}"
            wanted = [buffers[k] for k in Reach(found, params, buffers, self._named).needed()]
        files: dict[int, str] = {}
        for buffer in wanted:
            if "recipe" in buffer or buffer["address"] in files:
                continue
            if self.mode == "needed" and buffer["bytes"] > self.limit:
                beyond.append(f"{buffer.get('name') or hex(buffer['address'])} of {buffer['bytes']} bytes")
                continue
            driver.synchronize()
            files[buffer["address"]] = keep(self.folder, driver.read_memory(buffer["address"], buffer["bytes"]))
        return files, f"more than --contents-limit: {', '.join(beyond)}" if beyond else ""

    def _provenance(self, image: bytes, sha256: str, info: KernelInfo) -> Provenance | str:
        """Of a kernel, or why its code cannot be followed."""
        key = (sha256, info.name)
        if key not in self._known:
            try:
                code = decode_image(reduce_cubin(image, {info.name}), info.name, info.name)
                self._known[key] = provenance(code, info.params)
            except SsmsimError as error:
                self._known[key] = error.what
            except Exception as error:  # a capture goes on; the launch says why its contents are missing
                self._known[key] = f"{type(error).__name__}: {error}"
        return self._known[key]

    def _named(self, buffer: Buffer) -> list[Buffer]:
        """The allocations that words of a buffer point into."""
        driver.synchronize()
        data = driver.read_memory(buffer["address"], min(buffer["bytes"], LIST_BYTES) // WORD * WORD)
        words = np.unique(np.frombuffer(data, "<u8"))
        blocks = Allocations()
        found: dict[int, Buffer] = {}
        for pointer in map(int, words[(words >= LOWEST_POINTER) & (words < 1 << 57)]):
            place = blocks.find(pointer) or driver.allocation_of(pointer)
            if place is not None and len(found) < MOST_REACHED:
                found[place[0]] = {"address": place[0], "bytes": place[1]}
        return list(found.values())


def keep(folder: Path, data: bytes) -> str:
    """Write bytes into a capture, each once; returns their name as seen from a launch's folder."""
    file = f"contents/{hashlib.sha256(data).hexdigest()[:16]}.zst"
    if not (folder / file).exists():
        (folder / "contents").mkdir(exist_ok=True)
        write_contents(folder / file, data)
    return f"../{file}"


class Reach:
    """Which buffers the accesses of a launch may lie in. named: the buffers that a buffer's words point into."""

    def __init__(
        self, found: Provenance, params: bytes, buffers: list[Buffer], named: Callable[[Buffer], list[Buffer]]
    ) -> None:
        self.found, self.buffers, self.named = found, buffers, named
        self._lists: dict[int, set[int]] = {}  # by buffer, those that its words point into
        self.places: dict[int, set[int]] = {
            i: {k for word in origin.words for k in self._holding(_word(params, word))}
            for i, origin in found.accesses.items()
        }

    def needed(self) -> list[int]:
        """Numbers of the buffers whose contents are needed; buffers that are reached through memory are added."""
        through_memory = [i for i, places in self.places.items() if not places and self.found.accesses[i].loads]
        grew = True
        while grew:
            grew = False
            for i in through_memory:
                before = len(self.places[i])
                for j in self.found.accesses[i].loads:
                    for k in tuple(self.places.get(j, ())):
                        self.places[i] |= self._pointed(k)
                grew |= len(self.places[i]) > before
        return sorted({k for i in self.found.wanted for k in self.places[i]})

    def _holding(self, pointer: int) -> list[int]:
        return [
            k for k, b in enumerate(self.buffers)
            if b["address"] <= pointer < b["address"] + b["bytes"] or pointer == b.get("pointer")
        ]  # fmt: skip

    def _pointed(self, number: int) -> set[int]:
        if number not in self._lists:
            self._lists[number] = set()
            found = self.named(self.buffers[number]) if len(self.buffers) < MOST_REACHED else []
            if found:
                self.buffers[number]["pointers"] = True
            for buffer in found:
                if all(buffer["address"] != known["address"] for known in self.buffers):
                    self.buffers.append(buffer)
                self._lists[number].update(self._holding(buffer["address"]))
        return self._lists[number]


def _word(params: bytes, offset: int) -> int:
    return int.from_bytes(params[offset : offset + WORD], "little")
