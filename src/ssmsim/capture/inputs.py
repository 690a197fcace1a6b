"""What a capture records of the memory that a launch finds: what addresses, masks and branches hang on, all, or nothing.

The kernel's code says which loads such data may come from (tracers/emulated/provenance.py). A trial of some blocks
(trial.py) says from which they do, and its buffers are recorded; then it is tried again, until nothing is missing. Where a
pointer lies in memory, as in the lists of a grouped product or of an optimizer, the buffers that the list names are
buffers of the launch, too. With workers, trials run beside the program (beside.py).
"""

import hashlib
import tempfile
from pathlib import Path

from ssmsim.capture import device, driver
from ssmsim.capture.beside import Beside
from ssmsim.capture.buffers import largest
from ssmsim.capture.describe import TENSORS
from ssmsim.capture.follow import Following, Known, follow, reduced
from ssmsim.capture.frameworks import Allocations
from ssmsim.capture.keep import keep
from ssmsim.capture.modes import LIMIT_MIB
from ssmsim.capture.progress import Progress
from ssmsim.capture.reach import LIST_BYTES, Buffer, Holding, named_by, search
from ssmsim.capture.recorded import Cubin, Recorded
from ssmsim.capture.trial import Trials
from ssmsim.contents import write_recipe
from ssmsim.tracers.emulated.provenance import WORD


class Inputs:
    """Reads and keeps contents at each launch. Nothing is kept twice."""

    def __init__(self, folder: Path, mode: str = "needed", limit_mib: int = LIMIT_MIB, workers: int = 0) -> None:
        """folder: of the capture. limit_mib: a buffer larger than so many MiB is not recorded unless mode is "all".
        workers: processes that try launches, 0: this one does.
        """
        self.folder, self.mode, self.limit, self.workers = folder, mode, limit_mib << 20, workers
        self._known: dict[tuple[str, str], Known] = {}
        self._trials: Trials | None = None
        self._beside: Beside | None = None
        self._expected: dict[tuple[str, str], Following] = {}

    def fill(self, launch: Recorded) -> None:
        """Set a launch's contents and why some are missing: by the end of `finish` at the latest."""
        if not self.workers or self.mode == "none":
            launch.contents, launch.missing = self.record(launch)
        elif self.mode == "all":
            for at, size in self._bare(launch).items():
                self.beside.keep(launch, at, _memory(at, size))
        else:
            known = self._provenance(launch)
            if isinstance(known, str):
                launch.missing = _unknown(known)
            elif known[1].wanted:
                held = self._held(launch)
                self.beside.run(*known, launch, held, self.limit, Live(self.folder))

    def finish(self, progress: Progress | None = None) -> None:
        """Wait for what is left to do. Raises what went wrong meanwhile."""
        if self._beside is not None:
            self._beside.finish(progress or Progress())

    def expect(self, cubin: Cubin, kernel: str) -> None:
        """A kernel that ran outside the region may come in it: a worker with nothing else to do follows its code."""
        key = (cubin.sha256, kernel)
        if self.workers and self.mode == "needed" and key not in self._known and key not in self._expected:
            self._expected[key] = Following(cubin, kernel)
            self.beside.when_idle(key, self._expected[key].run)

    def record(self, launch: Recorded) -> tuple[dict[int, str], str]:
        """(file with a buffer's bytes, by its address; why some are missing, "" when none is), found in this process.
        Buffers that pointers in memory name are put behind the launch's others. A buffer with a recipe is not read.
        """
        if self.mode == "none":
            return {}, ""
        if self.mode == "all":
            return {at: keep(self.folder, _memory(at, size)) for at, size in self._bare(launch).items()}, ""
        known = self._provenance(launch)
        if isinstance(known, str):
            return {}, _unknown(known)
        image, found = known
        if not found.wanted:
            return {}, ""
        if self._trials is None:
            self._trials = Trials(self.folder, device.current())
        with tempfile.TemporaryDirectory() as folder:  # nothing is compressed before it is known that it is kept
            asking = search(found, launch, self._held(launch), self.limit, Live(Path(folder)))
            files = next(asking)
            while True:
                try:
                    files = asking.send(self._trials.run(image, launch, files))
                except StopIteration as end:
                    kept, missing = end.value
                    return {at: keep(self.folder, file.read_bytes()) for at, file in kept.items()}, missing

    @property
    def beside(self) -> Beside:
        """What has the workers, from the first time on that there is something for them."""
        if self._beside is None:
            self._beside = Beside(self.folder, self.workers, device.current())
        return self._beside

    @staticmethod
    def _bare(launch: Recorded) -> dict[int, int]:
        """Bytes of the buffers without a recipe, by address."""
        return largest([b for b in launch.buffers if "recipe" not in b])

    def _held(self, launch: Recorded) -> dict[int, Path]:
        return {b["address"]: self._recipe(b) for b in launch.buffers if "recipe" in b}

    def _recipe(self, buffer: Buffer) -> Path:
        """The file of a buffer's recipe."""
        file = self.folder / f"inputs/{buffer['recipe']}.recipe.json"
        if not file.exists():
            described = next(d for d in TENSORS.values() if d.name == buffer["recipe"] and d.recipe is not None)
            file.parent.mkdir(exist_ok=True)
            write_recipe(file, described.recipe or {})
        return file

    def _provenance(self, launch: Recorded) -> Known:
        key = (launch.cubin.sha256, launch.kernel)
        expected = self._expected.get(key)
        if key not in self._known and expected is not None and (known := expected.result()) is not None:
            self._known[key] = known
        if key not in self._known:
            image = reduced(launch.cubin, launch.kernel)
            self._known[key] = image if isinstance(image, str) else follow(image, launch.kernel, launch.info.params)
        return self._known[key]


def _unknown(why: str) -> str:
    return f"not known which contents are needed: {why}"


class Live:
    """Memory as it is now."""

    def __init__(self, folder: Path) -> None:
        """folder: of the files."""
        self.folder = folder

    def put(self, buffer: Buffer) -> Path:
        data = self.bytes_of(buffer)
        file = self.folder / hashlib.sha256(data).hexdigest()
        file.write_bytes(data)
        return file

    def bytes_of(self, buffer: Buffer) -> bytes:
        return _memory(buffer["address"], buffer["bytes"])

    def named(self, buffer: Buffer) -> list[Buffer]:
        size = min(buffer["bytes"], LIST_BYTES) // WORD * WORD
        return named_by(_memory(buffer["address"], size), self.places())

    def places(self) -> Holding:
        """May be asked by any thread and at any time. PyTorch's blocks are those of now, the driver's allocations those of when
        it is asked.
        """
        blocks, context = Allocations(), driver.current_context()

        def holding(address: int) -> Buffer | None:
            place = blocks.find(address) or driver.allocation_of(address, context)
            return None if place is None else {"address": place[0], "bytes": place[1]}

        return holding


def _memory(address: int, count: int) -> bytes:
    """Bytes on the GPU once all work before is done."""
    driver.synchronize()
    return driver.read_memory(address, count)
