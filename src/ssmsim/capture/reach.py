"""Which buffers of a launch its trials ask for, and how those that lie behind pointers in memory are found."""

from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ssmsim.capture.modes import BEYOND, LOST, REFUSED
from ssmsim.capture.recorded import Recorded
from ssmsim.capture.trial import Tried
from ssmsim.errors import SsmsimError
from ssmsim.tracers.emulated.provenance import WORD, Provenance

MOST_REACHED = 4096  # buffers of one launch that pointers in memory name
UNTRIED_BYTES = 1 << 16  # a buffer that is kept because loads from it were not tried
LIST_BYTES = 1 << 20  # a buffer that pointers are looked for in
LOWEST_POINTER = 1 << 32  # device memory lies far above; smaller numbers are counts and indices
TENSORS = -1  # number of what tensor copies move, beside those of instructions
Buffer = dict[str, Any]
Found = tuple[dict[int, Path], str]  # files with the bytes of buffers, by address, and why some are missing
Search = Generator[dict[int, Path], Tried, Found]
Holding = Callable[[int], Buffer | None]  # the allocation that holds an address


class NotTaken(Exception):
    """A trial asks for a buffer of which there is no copy."""


class Reader(Protocol):
    """Has the memory that a launch finds."""

    def put(self, buffer: Buffer) -> Path:
        """A file with a buffer's bytes, whose name is their hash."""

    def named(self, buffer: Buffer) -> list[Buffer]:
        """The allocations that words of a buffer point into."""

    def places(self) -> Holding:
        """What tells the allocation that holds an address."""


def named_by(data: bytes, holding: Holding) -> list[Buffer]:
    """The allocations that 8-byte words of a buffer point into, MOST_REACHED at most. data: its bytes."""
    words = np.unique(np.frombuffer(data[: LIST_BYTES // WORD * WORD], "<u8", min(len(data), LIST_BYTES) // WORD))
    found: dict[int, Buffer] = {}
    for pointer in map(int, words[(words >= LOWEST_POINTER) & (words < 1 << 57)]):
        buffer = holding(pointer) if len(found) < MOST_REACHED else None
        if buffer is not None:
            found[buffer["address"]] = buffer
    return list(found.values())


def search(found: Provenance, launch: Recorded, held: Mapping[int, Path], limit: int, reader: Reader) -> Search:
    """Read what a trial misses until it misses nothing. Yields the files that the next trial is to have, is sent what it
    found, and returns the files that the launch needs. held: files of recipes. limit: bytes of a buffer that is read.
    """
    reach = Reach(found, launch.params, launch.buffers, reader)
    loads: set[tuple[int, int]] = set()
    files: dict[int, Path] = {}
    while True:
        tried = yield dict(held) | files
        if tried.lost:
            return {}, f"{LOST}: {tried.lost}"
        if tried.outside and reach.grow(tried.outside, files):
            continue
        if not tried.loads:
            if tried.refused:
                return {} if tried.hopeless else files, f"{REFUSED}: {tried.refused}"
            spare = [b for b in reach.untried(tried.ran) if b["address"] not in files and b["address"] not in held]
            return files | _readable(spare, reader), ""
        loads |= tried.loads
        wanted = {launch.buffers[k]["address"]: launch.buffers[k]
                  for k in sorted(reach.needed(loads), key=lambda k: launch.buffers[k]["bytes"])}  # fmt: skip
        new = [b for at, b in wanted.items() if at not in files and at not in held]
        if not new:
            return files, "control hangs on data in memory that no buffer of the launch names"
        beyond = [b for b in new if b["bytes"] > limit]
        if beyond:
            said = (f"{b.get('name') or 'a buffer'} of {b['bytes']} bytes" for b in beyond)
            return {}, f"{BEYOND}: {', '.join(said)}"  # without it no replay gets far: the others serve nothing
        for buffer in new:
            files[buffer["address"]] = reader.put(buffer)


def _readable(buffers: list[Buffer], reader: Reader) -> dict[int, Path]:
    """Files of those buffers that can be read: what no trial asked for is no reason to lose a launch."""
    files: dict[int, Path] = {}
    for buffer in buffers:
        with suppress(NotTaken, SsmsimError):
            files[buffer["address"]] = reader.put(buffer)
    return files


class Reach:
    """Which buffers the accesses of a launch may lie in."""

    def __init__(self, found: Provenance, params: bytes, buffers: list[Buffer], reader: Reader) -> None:
        self.found, self.params, self.buffers, self.reader = found, params, buffers, reader
        self._lists: dict[int, set[int]] = {}  # by buffer, those that its words point into
        self.origins = found.accesses | ({} if found.tensors is None else {TENSORS: found.tensors})
        self.places: dict[int, set[int]] = {
            i: {k for word in origin.words for k in self._holding(_word(params, word))}
            for i, origin in self.origins.items()
        }
        self.through_memory = [
            i for i, origin in self.origins.items() if origin.loads and (i == TENSORS or not self.places[i])
        ]

    def needed(self, loads: Collection[tuple[int, int]]) -> list[int]:
        """Numbers of the buffers whose contents loads need: (load, number of a buffer that it was seen to read). Where an
        index chooses among pointers, or pointers lie in memory, all that the load may read are needed.

        Buffers that are reached through memory are added to the launch's.
        """
        return self._closed({i for i, _ in loads}, {k for _, k in loads})

    def most(self) -> list[int]:
        """Numbers of the buffers whose contents any trial may ask for: those that control may hang on by the code. Where
        stores or atomics of the launch may lie in such a buffer, what they put there may come from any load: those of all
        loads. Every buffer where the code does not tell what an access lies in.
        """
        accesses = self.found.accesses
        followed = set(self.found.wanted)
        chosen = self._reached(followed)
        if any(self._unknown(i) or not chosen.isdisjoint(self.places[i]) for i in self.found.writes):
            followed = set(accesses)
            chosen = self._reached(followed)
        unknown = any(not (accesses[i].words or accesses[i].listed or accesses[i].loads) for i in followed)
        return list(range(len(self.buffers))) if unknown else sorted(chosen)

    def untried(self, ran: Collection[int]) -> list[Buffer]:
        """Small buffers that loads read which no tried block executed and control may hang on: one block in thousands may.

        ran: instructions that were. PyTorch's gradient of an embedding: the last segment's block alone reads how many there are.
        """
        loads = self.found.wanted - set(ran) - {TENSORS}
        numbers = {k for i in loads for k in self.places.get(i, ())}
        largest: dict[int, Buffer] = {}
        for buffer in (self.buffers[k] for k in sorted(numbers)):
            if buffer["bytes"] > largest.get(buffer["address"], {"bytes": 0})["bytes"]:
                largest[buffer["address"]] = buffer
        return [b for b in largest.values() if b["bytes"] <= UNTRIED_BYTES]

    def grow(self, outside: Collection[int], read: Collection[int]) -> bool:
        """Add the allocations that hold some addresses to the launch's buffers, and those that stand beside their pointers
        in memory, since other blocks follow those. Whether there are any. read: addresses of the buffers that were read.
        """
        before = len(self.buffers)
        for k in [k for k, b in enumerate(self.buffers) if b["address"] in read]:
            self._pointed(k)
        holding = self.reader.places()
        for address in sorted(outside):
            buffer = None if self._holding(address) else holding(address)
            if buffer is not None and len(self.buffers) < MOST_REACHED:
                self.buffers.append(buffer | {"reached": True})
        return len(self.buffers) > before

    def _unknown(self, access: int) -> bool:
        """Whether it may lie in buffers that are not found yet, or anywhere."""
        return not self.places[access] and not self.found.accesses[access].words

    def _reached(self, accesses: set[int]) -> set[int]:
        places = [self.places[i] for i in accesses if i not in self.through_memory]
        return set(self._closed(accesses, set().union(*places)))

    def _closed(self, feeding: set[int], seen: set[int]) -> list[int]:
        """Buffers that some loads may need. seen: those that they were seen to read."""
        grew = True
        while grew:
            grew = False
            for i in self.through_memory:
                before = len(self.places[i])
                for j in self.origins[i].loads & feeding:
                    for k in tuple(self.places.get(j, ())):
                        self.places[i] |= self._pointed(k)
                grew |= len(self.places[i]) > before
        chosen = set(seen)
        for i in feeding & set(self.found.accesses):  # of others, bulk copies, the buffers seen are all that is known
            for first, end in self.found.accesses[i].listed:
                chosen |= self._list(first, end)
            chosen |= self.places[i] if i in self.through_memory else set()
        return sorted(chosen)

    def _list(self, first: int, end: int) -> set[int]:
        """Buffers that a list of pointers among the parameters names. Behind its last pointer lies what the host's memory
        happened to hold.
        """
        found: set[int] = set()
        for at in range(first, end - WORD + 1, WORD):
            pointer = _word(self.params, at)
            places = self._holding(pointer)
            if pointer and not places:
                break
            found |= set(places)
        return found

    def _holding(self, pointer: int) -> list[int]:
        return [
            k for k, b in enumerate(self.buffers)
            if b["address"] <= pointer < b["address"] + b["bytes"] or pointer == b.get("pointer")
        ]  # fmt: skip

    def _pointed(self, number: int) -> set[int]:
        if number not in self._lists:
            self._lists[number] = set()
            found = self.reader.named(self.buffers[number]) if len(self.buffers) < MOST_REACHED else []
            if found:
                self.buffers[number]["pointers"] = True
            for buffer in found:
                if all(buffer["address"] != known["address"] for known in self.buffers):
                    self.buffers.append(buffer)
                self._lists[number].update(self._holding(buffer["address"]))
        return self._lists[number]


def _word(params: bytes, offset: int) -> int:
    return int.from_bytes(params[offset : offset + WORD], "little")
