"""Trials of launches beside the program: what they may ask for is copied, the launch runs, workers try it.

A launch's contents must be read before it runs, and only its trials say which are needed. Their first questions that
were answered before, of an equal launch, are answered at once, and what they miss is read. At the first question that is
not, every buffer that the code says a trial may ask for is copied from the GPU (Reach.most), and the program goes on;
trials then read the copies. Copies that equal those of the launch before are kept once. When there is no room for more,
the program waits until trials have ended; a launch whose copies alone find no room waits for its own trials, and
nothing of it is copied before it is asked for.

Two launches with the same question wait for one answer. Answers are handed on in the order in which launches came, so that
what is found does not hang on how fast workers are.
"""

import hashlib
import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from ssmsim.capture.keep import name_of
from ssmsim.capture.modes import LOST, NOT_TAKEN
from ssmsim.capture.pool import Died, Pool, Task, Worker
from ssmsim.capture.progress import Progress
from ssmsim.capture.reach import Buffer, Found, Holding, NotTaken, Reach, Search, named_by, search
from ssmsim.capture.recorded import Recorded
from ssmsim.capture.snapshots import Copies, Copy, Files, room
from ssmsim.capture.trial import Tried, key_of, placed
from ssmsim.contents import write_contents
from ssmsim.errors import SsmsimError
from ssmsim.sass import decode
from ssmsim.tracers.emulated.provenance import Provenance

PLACE = ".trials"  # folder in a capture, while it is made
MOST_BEHIND = 64 << 20  # bytes that are copied of what lies behind pointers in memory, of one launch
Then = Callable[[Tried], None]


class Memory(Protocol):
    """That of the GPU."""

    def bytes_of(self, buffer: Buffer) -> bytes:
        """Those of a buffer."""

    def named(self, buffer: Buffer) -> list[Buffer]:
        """The allocations that words of a buffer point into."""

    def places(self) -> Holding:
        """What tells the allocation that holds an address, now or later."""


class Beside:
    """Has the workers and all that waits for them."""

    def __init__(self, folder: Path, workers: int, facts: dict[str, Any], most: int | None = None) -> None:
        """folder: of the capture. facts: of the GPU, launch/1's `device`. most: bytes of copies."""
        self.folder, self.place = folder, folder / PLACE
        disassembled = self.place / "disassembled"
        disassembled.mkdir(parents=True, exist_ok=True)
        decode.share(disassembled)
        setting = {"folder": str(folder.absolute()), "facts": facts, "disassembled": str(disassembled.absolute())}
        self.pool = Pool(workers, setting)
        self.files = Files(self.place)
        self.copies = Copies(room() if most is None else most, self.pool)
        self._lock = threading.Lock()
        self._known: dict[str, Tried] = {}
        self._pending: dict[str, list[tuple[Recorded, bytes, dict[int, Path], Then]]] = {}
        self._apart: set[str] = set()  # questions that each place of the buffers has its own answer to
        self._kept: set[str] = set()  # names of contents that are written or will be

    def run(
        self, image: bytes, found: Provenance, launch: Recorded, held: dict[int, Path], limit: int, memory: Memory
    ) -> None:
        """Find a launch's contents, in the end. image: a cubin with its kernel; the rest: see reach.search."""
        taken = Taken(memory, self)
        asking = search(found, launch, held, limit, taken)
        asked = next(asking)
        while True:
            answer = self._known.get(self._key(launch, asked))
            if answer is None:
                missing = [
                    b for b in taken.candidates(found, launch) if b["address"] not in held and b["bytes"] <= limit
                ]
                if self.copies.fit(missing):
                    taken.take(missing)
                    if follows_pointers(found, launch, taken):
                        taken.take_named(min(limit, MOST_BEHIND))
                    self._ask(image, launch, asked, partial(self._go_on, image, launch, asking, taken))
                    return
                answer = self._wait(image, launch, asked)
            try:
                asked = asking.send(answer)
            except StopIteration as end:
                self._end(launch, taken, end.value)
                return

    def keep(self, launch: Recorded, address: int, data: bytes) -> None:
        """Write a buffer's bytes into the capture, hashed and compressed by a thread."""
        copy = self.copies.of(address, data)

        def write(_: Worker) -> None:
            name = name_of(hashlib.sha256(copy.data).hexdigest())
            if self._first(name):
                write_contents(self.folder / name, copy.data)
            launch.contents[address] = f"../{name}"

        self.pool.add(Task(write))

    def when_idle(self, key: object, work: Callable[[Worker], None]) -> None:
        """Do something when nothing else is to be done. key: of the code that it is about."""
        self.pool.add(Task(work, key), idle=True)

    def finish(self, progress: Progress) -> None:
        """Wait for all trials, end the workers; raises what went wrong in a thread."""
        while (left := self.pool.wait(0.5)) and self.pool.failure is None:
            progress.left(left)
        failure = self.pool.failure
        self.pool.close()
        decode.share(None)
        shutil.rmtree(self.place, ignore_errors=True)
        if failure is not None:
            raise failure

    def _key(self, launch: Recorded, asked: dict[int, Path]) -> str:
        """Of a launch's question. Addresses in an answer are those of a launch whose buffers lie in the same places."""
        key = key_of(launch, asked)
        return placed(key, launch) if key in self._apart else key

    def _ask(self, image: bytes, launch: Recorded, asked: dict[int, Path], then: Then) -> None:
        """Have a launch tried with some files, unless one with the same question is or was; `then` gets the answer."""
        with self._lock:
            key = self._key(launch, asked)
            answer = self._known.get(key)
            if answer is None:
                first = key not in self._pending
                self._pending.setdefault(key, []).append((launch, image, asked, then))
        if answer is not None:
            then(answer)
        elif first:
            bare = replace(launch.cubin, image=b"")
            sent = replace(launch, cubin=bare, buffers=[b.copy() for b in launch.buffers], contents={})
            name = f"{launch.cubin.sha256} {launch.kernel}"
            code = launch.cubin.sha256, launch.kernel
            self.pool.add(Task(partial(self._try, key, (name, image), sent, asked), code))

    def _try(self, key: str, image: tuple[str, bytes], sent: Recorded, asked: dict[int, Path], worker: Worker) -> None:
        try:
            answer = worker.ask("try", image, sent, asked)
        except Died as error:
            answer = Tried(lost=str(error))
        own = placed(key_of(sent, asked), sent)
        while True:  # it is known once those that waited for it have gone on, in their order
            with self._lock:
                waiting, self._pending[key] = self._pending[key], []
                if answer.outside:
                    self._apart.add(key_of(sent, asked))
                if not waiting:
                    self._known[own if answer.outside else key] = answer
                    del self._pending[key]
                    return
            for launch, code, files, then in waiting:
                if answer.outside and placed(key_of(launch, files), launch) != own:
                    self._ask(code, launch, files, then)
                else:
                    then(answer)

    def _go_on(self, image: bytes, launch: Recorded, asking: Search, taken: "Taken", answer: Tried) -> None:
        try:
            asked = asking.send(answer)
        except StopIteration as end:
            self._end(launch, taken, end.value)
        except NotTaken:
            self._end(launch, taken, ({}, NOT_TAKEN))
        except SsmsimError as error:
            self._end(launch, taken, ({}, f"{LOST}: {error.what}"))
        else:
            self._ask(image, launch, asked, partial(self._go_on, image, launch, asking, taken))

    def _wait(self, image: bytes, launch: Recorded, asked: dict[int, Path]) -> Tried:
        """The answer, for which the program waits."""
        answers: list[Tried] = []
        there = threading.Event()

        def take(answer: Tried) -> None:
            answers.append(answer)
            there.set()

        self._ask(image, launch, asked, take)
        while not there.wait(1.0):
            if self.pool.failure is not None:
                return Tried(lost=str(self.pool.failure))
        return answers[0]

    def _end(self, launch: Recorded, taken: "Taken", found: Found) -> None:
        files, launch.missing = found
        for address, file in files.items():
            name = name_of(file.name)
            launch.contents[address] = f"../{name}"
            if self._first(name):
                self.files.hold(file)
                self.pool.add(Task(partial(self._write, name, file)))
        taken.drop()

    def _write(self, name: str, file: Path, _: Worker) -> None:
        write_contents(self.folder / name, file.read_bytes())
        self.files.drop(file)

    def _first(self, name: str) -> bool:
        """Whether contents are asked for that nobody writes yet."""
        with self._lock:
            new = name not in self._kept
            self._kept.add(name)
        return new


class Taken:
    """The memory that one launch finds: as it is, until `take`, then as it was."""

    def __init__(self, memory: Memory, beside: Beside) -> None:
        self.memory, self.files, self.copies = memory, beside.files, beside.copies
        self.complete = False
        self._put: list[Path] = []
        self._copies: dict[int, Copy] = {}
        self._named: dict[tuple[int, int], list[Buffer]] = {}
        self._places: Holding | None = None

    def put(self, buffer: Buffer) -> Path:
        self._put.append(self.files.put(self._bytes_of(buffer)))
        return self._put[-1]

    def named(self, buffer: Buffer) -> list[Buffer]:
        key = buffer["address"], buffer["bytes"]
        if key not in self._named:
            self._named[key] = (
                named_by(self._bytes_of(buffer), self.places()) if self.complete else self.memory.named(buffer)
            )
        return [b.copy() for b in self._named[key]]

    def places(self) -> Holding:
        return self.memory.places() if self._places is None else self._places

    def candidates(self, found: Provenance, launch: Recorded) -> list[Buffer]:
        """The buffers that trials may ask for, the largest at each address. The launch stays as it is."""
        buffers = [b.copy() for b in launch.buffers]
        reach = Reach(found, launch.params, buffers, IfRead(self))
        largest: dict[int, Buffer] = {}
        for k in reach.most():
            at = buffers[k]["address"]
            if at not in largest or largest[at]["bytes"] < buffers[k]["bytes"]:
                largest[at] = buffers[k]
        return list(largest.values())

    def take(self, buffers: list[Buffer]) -> None:
        """Copy buffers, for which there is room; nothing else is read from now on. One that cannot be read may not be
        asked for either.
        """
        for buffer in buffers:
            self._copy(buffer)
        self.complete, self._places = True, self.memory.places()

    def take_named(self, most: int) -> None:
        """Copy what words of the copies point into, the smallest first, up to some bytes together: the code does not tell
        which of it is asked for.
        """
        holding = self.places()
        named = {b["address"]: b for copy in self._copies.values() for b in named_by(copy.data, holding)}
        for buffer in sorted(named.values(), key=lambda b: (b["bytes"], b["address"])):
            if buffer["address"] in self._copies:
                continue
            # Waiting for room might be waiting for this launch's own copies.
            if buffer["bytes"] > most or not self.copies.fit([buffer], wait=False):
                return
            most -= buffer["bytes"]
            self._copy(buffer)

    def _copy(self, buffer: Buffer) -> None:
        """One buffer, for which there is room, if it can be read."""
        try:
            data = self.memory.bytes_of(buffer)
        except SsmsimError:
            self.copies.release(buffer["bytes"])
        else:
            self._copies[buffer["address"]] = self.copies.of(buffer["address"], data, reserved=True)

    def drop(self) -> None:
        """Nobody asks any more."""
        self._copies.clear()
        for file in self._put:
            self.files.drop(file)
        self._put.clear()

    def _bytes_of(self, buffer: Buffer) -> bytes:
        if not self.complete:
            return self.memory.bytes_of(buffer)
        first, size = buffer["address"], buffer["bytes"]
        for at, copy in self._copies.items():
            if at <= first and first + size <= at + len(copy.data):
                return copy.data if size == len(copy.data) else copy.data[first - at : first - at + size]
        raise NotTaken


def follows_pointers(found: Provenance, launch: Recorded, taken: Taken) -> bool:
    """Whether an access of a launch lies in none of its parameters' buffers, as far as the code tells."""
    places = Reach(found, launch.params, launch.buffers, taken).places
    return not all(places.values())


class IfRead:
    """The memory that a launch finds, for one who goes on without what cannot be read."""

    def __init__(self, taken: Taken) -> None:
        self.put, self.places, self._named = taken.put, taken.places, taken.named

    def named(self, buffer: Buffer) -> list[Buffer]:
        try:
            return self._named(buffer)
        except SsmsimError:
            return []
