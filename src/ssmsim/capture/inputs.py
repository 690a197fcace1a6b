"""What a capture records of the memory that a launch finds: what addresses, masks and branches hang on, all, or nothing.

The kernel's code says which loads such data may come from (tracers/emulated/provenance.py). A trial of some blocks
(trial.py) says from which they do, and its buffers are recorded; then it is tried again, until nothing is missing. Where a
pointer lies in memory, as in the lists of a grouped product or of an optimizer, the buffers that the list names are
buffers of the launch, too.
"""

import hashlib
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import numpy as np

from ssmsim.capture import device, driver
from ssmsim.capture.buffers import largest
from ssmsim.capture.describe import TENSORS
from ssmsim.capture.frameworks import Allocations
from ssmsim.capture.keep import keep
from ssmsim.capture.modes import BEYOND, LIMIT_MIB, REFUSED
from ssmsim.capture.recorded import Recorded
from ssmsim.capture.reduce import reduce_cubin
from ssmsim.capture.trial import Trials
from ssmsim.contents import write_recipe
from ssmsim.errors import SsmsimError
from ssmsim.sass.decode import decode_image
from ssmsim.tracers.emulated.provenance import WORD, Provenance, provenance

LIST_BYTES = 1 << 20  # a buffer that pointers are looked for in
LOWEST_POINTER = 1 << 32  # device memory lies far above; smaller numbers are counts and indices
MOST_REACHED = 4096  # buffers of one launch that pointers in memory name
Buffer = dict[str, Any]


class Inputs:
    """Reads and keeps contents at each launch. Nothing is kept twice."""

    def __init__(self, folder: Path, mode: str = "needed", limit_mib: int = LIMIT_MIB) -> None:
        """folder: of the capture. limit_mib: a buffer larger than so many MiB is not recorded unless mode is "all"."""
        self.folder, self.mode, self.limit = folder, mode, limit_mib << 20
        self._known: dict[tuple[str, str], tuple[bytes, Provenance] | str] = {}
        self._trials: Trials | None = None

    def record(self, launch: Recorded) -> tuple[dict[int, str], str]:
        """(file with a buffer's bytes, by its address; why some are missing, "" when none is). Buffers that pointers in
        memory name are put behind the launch's others. A buffer with a recipe is not read.
        """
        if self.mode == "none":
            return {}, ""
        if self.mode == "all":
            bare = largest([b for b in launch.buffers if "recipe" not in b])
            return {at: keep(self.folder, _memory(at, size)) for at, size in bare.items()}, ""
        known = self._provenance(launch)
        if isinstance(known, str):
            return {}, f"not known which contents are needed: {known}"
        image, found = known
        if not found.wanted:
            return {}, ""
        with tempfile.TemporaryDirectory() as folder:  # nothing is compressed before it is known that it is kept
            files, missing = self._needed(image, found, launch, Path(folder))
            return {at: keep(self.folder, file.read_bytes()) for at, file in files.items()}, missing

    def _needed(self, image: bytes, found: Provenance, launch: Recorded, folder: Path) -> tuple[dict[int, Path], str]:
        """Read what a trial misses until it misses nothing: files in `folder`, and why something is missing."""
        if self._trials is None:
            self._trials = Trials(self.folder, device.current())
        reach = Reach(found, launch.params, launch.buffers, self._named)
        loads: set[tuple[int, int]] = set()
        files: dict[int, Path] = {}
        held = {b["address"]: self._recipe(b) for b in launch.buffers if "recipe" in b}
        while True:
            tried = self._trials.run(image, launch, held | files)
            if not tried.loads:
                return {} if tried.hopeless else files, f"{REFUSED}: {tried.refused}" if tried.refused else ""
            loads |= tried.loads
            wanted = {launch.buffers[k]["address"]: launch.buffers[k]
                      for k in sorted(reach.needed(loads), key=lambda k: launch.buffers[k]["bytes"])}  # fmt: skip
            new = [b for at, b in wanted.items() if at not in files and at not in held]
            if not new:
                return files, "control hangs on data in memory that no buffer of the launch names"
            beyond = [b for b in new if b["bytes"] > self.limit]
            if beyond:
                said = (f"{b.get('name') or 'a buffer'} of {b['bytes']} bytes" for b in beyond)
                return {}, f"{BEYOND}: {', '.join(said)}"  # without it no replay gets far: the others serve nothing
            for buffer in new:
                data = _memory(buffer["address"], buffer["bytes"])
                files[buffer["address"]] = folder / hashlib.sha256(data).hexdigest()
                files[buffer["address"]].write_bytes(data)

    def _recipe(self, buffer: Buffer) -> Path:
        """The file of a buffer's recipe."""
        file = self.folder / f"inputs/{buffer['recipe']}.recipe.json"
        if not file.exists():
            described = next(d for d in TENSORS.values() if d.name == buffer["recipe"] and d.recipe is not None)
            file.parent.mkdir(exist_ok=True)
            write_recipe(file, described.recipe or {})
        return file

    def _provenance(self, launch: Recorded) -> tuple[bytes, Provenance] | str:
        """A cubin with the kernel alone and its provenance, or why its code cannot be followed."""
        key = (launch.cubin.sha256, launch.kernel)
        if key not in self._known:
            try:
                image = reduce_cubin(launch.cubin.image, {launch.kernel})
                code = decode_image(image, launch.kernel, launch.kernel)
                self._known[key] = image, provenance(code, launch.info.params)
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


class Reach:
    """Which buffers the accesses of a launch may lie in. named: the buffers that a buffer's words point into."""

    def __init__(
        self, found: Provenance, params: bytes, buffers: list[Buffer], named: Callable[[Buffer], list[Buffer]]
    ) -> None:
        self.found, self.params, self.buffers, self.named = found, params, buffers, named
        self._lists: dict[int, set[int]] = {}  # by buffer, those that its words point into
        self.places: dict[int, set[int]] = {
            i: {k for word in origin.words for k in self._holding(_word(params, word))}
            for i, origin in found.accesses.items()
        }
        self.through_memory = [i for i, places in self.places.items() if not places and found.accesses[i].loads]

    def needed(self, loads: Collection[tuple[int, int]]) -> list[int]:
        """Numbers of the buffers whose contents loads need: (load, number of a buffer that it was seen to read). Where an
        index chooses among pointers, or pointers lie in memory, all that the load may read are needed.

        Buffers that are reached through memory are added to the launch's.
        """
        feeding = {i for i, _ in loads}
        grew = True
        while grew:
            grew = False
            for i in self.through_memory:
                before = len(self.places[i])
                for j in self.found.accesses[i].loads & feeding:
                    for k in tuple(self.places.get(j, ())):
                        self.places[i] |= self._pointed(k)
                grew |= len(self.places[i]) > before
        chosen = {k for _, k in loads}
        for i in feeding:
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
            found = self.named(self.buffers[number]) if len(self.buffers) < MOST_REACHED else []
            if found:
                self.buffers[number]["pointers"] = True
            for buffer in found:
                if all(buffer["address"] != known["address"] for known in self.buffers):
                    self.buffers.append(buffer)
                self._lists[number].update(self._holding(buffer["address"]))
        return self._lists[number]


def _memory(address: int, count: int) -> bytes:
    """Bytes on the GPU once all work before is done."""
    driver.synchronize()
    return driver.read_memory(address, count)


def _word(params: bytes, offset: int) -> int:
    return int.from_bytes(params[offset : offset + WORD], "little")
