"""Trials in worker processes: the same files as without them, whatever becomes of a worker, and none that outlives its program."""

import os
import signal
import struct
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ssmsim.capture import beside, cupti, driver, inputs, pool, snapshots, writer
from ssmsim.capture.fields import fields
from ssmsim.capture.inputs import Inputs
from ssmsim.capture.intercept import Interceptor
from ssmsim.capture.modes import LOST, NOT_TAKEN
from ssmsim.capture.recorded import Cubin, Recorded
from ssmsim.capture.trial import Tried
from ssmsim.elf_attributes import code_sha256, kernel_info
from ssmsim.launch import validated
from tests.units.fake_driver import FakeDriver
from tests.units.test_capture_inputs import BODIES, GPU, HELD, SIZE, A, B, C, D, cubin, memory, memory_of, moved

__all__ = ["cubin", "memory"]  # fixtures
WORKERS = 2


def noted(cubin: Path, name: str) -> Recorded:
    """A launch as the interceptor notes it, before its contents."""
    image = cubin.read_bytes()
    info = kernel_info(image, name)
    params = struct.pack("<QQQI4xQQQQ", A, B, C, 1, A, B, 0, 0)[: info.param_bytes]
    buffers = [{"name": n, "address": at, "bytes": SIZE} for n, at in zip("abc", (A, B, C), strict=True)]
    return Recorded(
        kernel=name, cubin=Cubin(image, "image", tuple(BODIES)), code_sha256=code_sha256(image, name), info=info,
        grid=(2, 1, 1), block=(64, 1, 1), cluster=(1, 1, 1), shared=1024, registers=info.registers, params=params,
        buffers=buffers,
    )  # fmt: skip


def capture(
    cubin: Path, names: list[str], memory: dict[int, bytes], folder: Path, kept: Inputs
) -> tuple[list[tuple[dict[str, Any], str]], dict[str, bytes]]:
    """Launch kernels one after another; memory is overwritten once each has begun. What is found, and all files."""
    launches = []
    for name in names:
        memory.clear()
        memory |= memory_of(name)
        launches.append(noted(cubin, name))
        kept.fill(launches[-1])
        for at in memory:
            memory[at] = bytes([0xEE]) * SIZE
    kept.finish()
    found = []
    for launch in launches:
        buffers = [b | {"contents": launch.contents.get(b["address"])} for b in launch.buffers]
        whole = validated(fields(launch, GPU, "k.cubin", buffers, folder), launch.kernel)
        found.append((whole.model_dump(), launch.missing))
    files = {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
    return found, files


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    for name in ("alone", "beside"):
        (tmp_path / name).mkdir()
    yield tmp_path / "alone", tmp_path / "beside"
    assert not (tmp_path / "beside" / beside.PLACE).exists()


ALL, SOME = [*HELD, "ticket", "gather", "chain", "gather"], ["gather", "ticket", "chain", "gather", "product"]
ROOM = {"room": (snapshots.MOST_BYTES, ALL), "little room": (5 * SIZE, SOME), "no room": (SIZE, SOME)}


@pytest.mark.parametrize(("most", "names"), ROOM.values(), ids=ROOM)
def test_the_same_files_as_without_workers(
    most: int,
    names: list[str],
    cubin: Path,
    memory: dict[int, bytes],
    folders: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Although the program overwrites its memory at once, and however little of it can be copied."""
    monkeypatch.setattr(beside, "room", lambda: most)
    alone, workers = (
        capture(cubin, names, memory, folder, Inputs(folder, workers=count))
        for folder, count in zip(folders, (0, WORKERS), strict=True)
    )
    for name, one, other in zip(names, workers[0], alone[0], strict=True):
        assert one == other, name
    assert workers[1] == alone[1]
    assert {name for name in alone[1] if name.startswith("contents/")}


@pytest.mark.parametrize("every", [False, True])
def test_a_capture_is_the_same_to_the_byte(
    every: bool, cubin: Path, memory: dict[int, bytes], folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the driver's calls to the folder: a kernel that ran before the region too, equal launches, other contents."""
    image = cubin.read_bytes()
    info, gpu = kernel_info(image, "gather"), FakeDriver()
    gpu.layout, gpu.name = info.params, b"gather"
    gpu.attributes = {driver.NUM_REGS: info.registers, driver.SHARED_SIZE_BYTES: info.static_shared}
    words = [each.to_bytes(size, "little") for each, (_, size) in zip((A, B, C, 1, 0), info.params, strict=True)]
    monkeypatch.setattr(driver, "library", lambda: gpu)
    monkeypatch.setattr(cupti, "subscribe", lambda handler: setattr(gpu, "handler", handler))
    monkeypatch.setattr(writer.device, "smi", dict)
    files = []
    for folder, count in zip(folders, (0, WORKERS), strict=True):
        interceptor = Interceptor(Inputs(folder, workers=count))
        interceptor._loaded(image)
        assert interceptor.inputs is not None
        for region, first in ((False, 0), (True, 0), (True, 0), (True, 7), (True, 0)):
            memory.clear()
            memory |= memory_of("gather")
            memory[A] = np.full(SIZE // 4, first, np.int32).tobytes()
            interceptor.active = region
            gpu.launch(0x55, words, (2, 1, 1))
            memory |= dict.fromkeys(memory, bytes([0xEE]) * SIZE)
        assert interceptor.failure is None and len(interceptor.inputs._expected) == (1 if count else 0)
        interceptor.inputs.finish()
        writer.write(folder, interceptor, every)
        files.append({str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()})
    assert files[0] == files[1]
    assert len([name for name in files[0] if name.endswith("launch.json")]) == (4 if every else 2)
    assert len([name for name in files[0] if name.startswith("contents/")]) == 2


@pytest.mark.parametrize("mode", ["all", "none"])
def test_other_contents_are_the_same_too(
    mode: str, cubin: Path, memory: dict[int, bytes], folders: tuple[Path, Path]
) -> None:
    alone, workers = (
        capture(cubin, ["gather", "product", "gather"], memory, folder, Inputs(folder, mode, workers=count))
        for folder, count in zip(folders, (0, WORKERS), strict=True)
    )
    assert workers == alone


def test_a_buffer_beyond_the_limit_is_named(cubin: Path, memory: dict[int, bytes], folders: tuple[Path, Path]) -> None:
    alone, workers = (
        capture(cubin, ["gather"], memory, folder, Inputs(folder, limit_mib=0, workers=count))
        for folder, count in zip(folders, (0, WORKERS), strict=True)
    )
    assert workers == alone and "more than --contents-limit: a of 4096 bytes" in workers[0][0][1]


class Asked:
    """Stands for a worker: counts what it is asked, and answers when it is let."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.answers: list[Tried | pool.Died] = []
        monkeypatch.setattr(pool.Worker, "ask", self.ask)

    def ask(self, what: str, blob: tuple[str, bytes], *arguments: Any) -> Any:
        self.asked.append((what, *arguments))
        while not self.answers:
            time.sleep(0.005)
        answer = self.answers.pop(0)
        if isinstance(answer, pool.Died):
            raise answer
        return answer


def test_equal_launches_wait_for_one_trial(
    cubin: Path, memory: dict[int, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also while it is not answered; of those that then ask for other contents each is tried."""
    stand_in = Asked(monkeypatch)
    kept = Inputs(tmp_path, workers=WORKERS)
    memory |= memory_of("gather")
    launches = [noted(cubin, "gather") for _ in range(3)]
    known = kept._provenance(launches[0])
    assert not isinstance(known, str)
    for launch in launches[:2]:
        kept.fill(launch)
    memory[A] = bytes(SIZE)
    kept.fill(launches[2])
    time.sleep(0.1)
    assert len(stand_in.asked) == 1
    (load,) = known[1].wanted
    stand_in.answers += [Tried(frozenset({(load, 0)})), Tried(), Tried()]
    kept.finish()
    assert len(stand_in.asked) == 3, "the code once, and once with each of two contents"
    assert [set(launch.contents) for launch in launches] == [{A}] * 3
    assert launches[0].contents == launches[1].contents != launches[2].contents


def test_an_address_in_an_answer_is_that_of_launches_in_the_same_places(
    cubin: Path, memory: dict[int, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A launch that waited for it and whose buffers lie elsewhere is tried by itself."""
    stand_in = Asked(monkeypatch)
    kept = Inputs(tmp_path, workers=WORKERS)
    memory |= memory_of("gather") | {at + (1 << 30): data for at, data in memory_of("gather").items() if at != D}
    launches = [noted(cubin, "gather") for _ in range(3)]
    launches[2].params = moved(launches[2])
    launches[2].buffers = [b | {"address": b["address"] + (1 << 30)} for b in launches[2].buffers]
    for launch in launches:
        kept.fill(launch)
    time.sleep(0.1)
    assert len(stand_in.asked) == 1
    stand_in.answers += [Tried(outside=frozenset({D + 8}), refused="outside")]
    while len(stand_in.asked) < 3:
        time.sleep(0.005)
    elsewhere = [arguments[0].buffers[0]["address"] != A for _, *arguments in stand_in.asked]
    assert sorted(elsewhere) == [False, False, True]
    stand_in.answers += [Tried()] * 2
    kept.finish()
    assert [{b["address"] for b in launch.buffers} for launch in launches[:2]] == [{A, B, C, D}] * 2
    assert D not in {b["address"] for b in launches[2].buffers} and not any(launch.missing for launch in launches)


def test_a_worker_that_ends_costs_one_launch(
    cubin: Path, memory: dict[int, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, killed = pool.Worker._receive, []

    def receive(self: pool.Worker) -> Any:
        if not killed:
            assert self.process is not None
            killed.append(self.process.pid)
            self.process.kill()
        return real(self)

    monkeypatch.setattr(pool.Worker, "_receive", receive)
    found, _ = capture(cubin, ["gather", "product", "branch"], memory, tmp_path, Inputs(tmp_path, workers=1))
    assert [missing for _, missing in found] == [f"{LOST}: its worker was ended by signal 9", "", ""]
    assert found[0][0]["buffers"][0]["contents"] is None and found[2][0]["buffers"][1]["contents"]


def test_a_worker_that_raises_costs_one_launch(
    cubin: Path, memory: dict[int, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Asked(monkeypatch).answers += [pool.Died("MemoryError: "), Tried()]
    found, _ = capture(cubin, ["gather", "branch"], memory, tmp_path, Inputs(tmp_path, workers=1))
    assert [missing for _, missing in found] == [f"{LOST}: MemoryError: ", ""]


def test_a_trial_that_asks_for_what_was_not_copied_is_said(
    cubin: Path, memory: dict[int, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Inputs(tmp_path, workers=1)
    known = kept._provenance(noted(cubin, "branch"))
    assert not isinstance(known, str)
    (load,) = known[1].wanted
    Asked(monkeypatch).answers += [Tried(frozenset({(load, 2)}))]
    found, _ = capture(cubin, ["branch"], memory, tmp_path, kept)
    assert found[0][1] == NOT_TAKEN


def test_what_lies_behind_pointers_is_copied(
    cubin: Path, memory: dict[int, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The code does not tell which of it control hangs on."""
    kept = Inputs(tmp_path, workers=1)
    known = kept._provenance(noted(cubin, "pointers"))
    assert not isinstance(known, str)
    (load,) = known[1].wanted
    Asked(monkeypatch).answers += [Tried(frozenset({(load, 0)})), Tried(frozenset({(load, 3)})), Tried()]
    ((launch, missing),), _ = capture(cubin, ["pointers"], memory, tmp_path, kept)
    assert not missing and [b["address"] for b in launch["buffers"] if b["contents"]] == [A, D]


def test_the_smallest_of_what_pointers_name_are_copied_first(tmp_path: Path) -> None:
    """As many as there may be bytes; a large one below them in memory keeps none out."""
    sizes = {1 << 33: 64, 1 << 34: 4096, 1 << 35: 16, 1 << 36: 8}
    lists = np.array([1 << 34, 1 << 35, 1 << 36], np.uint64).tobytes()
    place = lambda address: {"address": address, "bytes": sizes[address]} if address in sizes else None  # noqa: E731
    memory = SimpleNamespace(
        bytes_of=lambda b: (lists if b["address"] == 1 << 33 else b"").ljust(b["bytes"], b"\0"), places=lambda: place
    )
    copies = beside.Copies(1 << 20, SimpleNamespace(failure=None))  # type: ignore[arg-type]
    taken = beside.Taken(memory, SimpleNamespace(files=None, copies=copies))  # type: ignore[arg-type]
    assert copies.fit([{"bytes": 64}])
    taken.take([{"address": 1 << 33, "bytes": 64}])
    taken.take_named(100)
    assert set(taken._copies) == {1 << 33, 1 << 35, 1 << 36}


def test_what_goes_wrong_in_a_thread_is_raised_at_the_end(
    cubin: Path, memory: dict[int, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(beside, "write_contents", full)
    with pytest.raises(OSError, match="no space left"):
        capture(cubin, ["gather"], memory, tmp_path, Inputs(tmp_path, workers=1))


def test_what_ran_before_the_region_is_followed_by_a_worker(
    cubin: Path, memory: dict[int, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Inputs(tmp_path, workers=1)
    launch = noted(cubin, "gather")
    kept.expect(launch.cubin, "gather")
    following = kept._expected["image", "gather"]
    assert following._done.wait(60)
    monkeypatch.setattr(inputs, "follow", None)  # nobody does it again
    found, _ = capture(cubin, ["gather"], memory, tmp_path, kept)
    assert set(found[0][0]["buffers"][0]["contents"]) and not found[0][1]


def test_workers_have_no_part_in_the_interception(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSMSIM_CAPTURE", "{}")
    monkeypatch.setenv("LD_PRELOAD", "tracer.so")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    held = pool.environment()
    assert "SSMSIM_CAPTURE" not in held and "LD_PRELOAD" not in held
    assert held["CUDA_VISIBLE_DEVICES"] == "" and held["OMP_NUM_THREADS"] == held["OPENBLAS_NUM_THREADS"] == "1"


def test_copies_of_unchanged_buffers_are_kept_once() -> None:
    copies = snapshots.Copies(3 * SIZE, pool.Pool(1, {}))
    buffers = [{"address": A, "bytes": SIZE}, {"address": B, "bytes": SIZE}]
    assert not copies.fit(buffers * 2), "it never does"
    assert copies.fit(buffers)
    first, second = copies.of(A, bytes(SIZE), True), copies.of(B, bytes(SIZE), True)
    assert copies.fit([buffers[0]])
    assert copies.of(A, b"\0" * SIZE, True) is first
    assert copies.fit([buffers[0]]), "the one that was there already took no room"
    third = copies.of(A, b"\1" * SIZE, True)
    assert third is not first and second is not first
    del first, second
    assert copies.fit(buffers), "as nobody has the others any more"


def test_the_memory_that_is_left(tmp_path: Path) -> None:
    """Of the machine, caches included, and of the control group where it has a limit."""
    group = tmp_path / "sys/fs/cgroup"
    group.mkdir(parents=True)
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text("MemTotal: 9 kB\nMemFree: 1 kB\nMemAvailable: 7 kB\n")
    assert snapshots.available(tmp_path) == 7 << 10
    (group / "memory.current").write_text("1024\n")
    for most, left in (("max", 7 << 10), ("3072", 2 << 10), ("512", 0), ("1048576", 7 << 10)):
        (group / "memory.max").write_text(f"{most}\n")
        assert snapshots.available(tmp_path) == left


PROGRAM = """
    import os, sys, time
    from ssmsim.capture import pool
    worker = pool.Worker({"folder": ".", "facts": {}, "disassembled": "."})
    worker._start()
    if sys.argv[1] == "fork" and os.fork() == 0:
        time.sleep(30)  # holds the worker's pipes
        os._exit(0)
    print(worker.process.pid, flush=True)
    time.sleep(30)
"""


def _gone(pid: int, seconds: float = 20.0) -> bool:
    """Whether a process has ended, at the latest after some seconds."""
    for _ in range(int(seconds / 0.05)):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
@pytest.mark.parametrize("how", ["alone", "fork"])
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_no_worker_outlives_its_program(how: str, sent: signal.Signals, tmp_path: Path) -> None:
    line = [sys.executable, "-c", textwrap.dedent(PROGRAM), how]
    environment = os.environ | {"PYTHONPATH": str(Path(pool.ssmsim.__file__).parents[1])}
    program = subprocess.Popen(line, stdout=subprocess.PIPE, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL)
    assert program.stdout is not None
    worker = int(program.stdout.readline())
    try:
        assert not _gone(worker, 0.5)
        program.send_signal(sent)
        program.wait()
        assert _gone(worker)
    finally:
        program.kill()
        program.stdout.close()


def test_the_pool_ends_its_workers(cubin: Path, memory: dict[int, bytes], tmp_path: Path) -> None:
    kept = Inputs(tmp_path, workers=WORKERS)
    memory |= memory_of("gather")
    kept.fill(noted(cubin, "gather"))
    kept.beside.pool.wait(60)
    pids = [w.process.pid for w in kept.beside.pool._workers if w.process is not None]
    kept.finish()
    assert pids and all(_gone(pid) for pid in pids)
    assert [file.name for file in tmp_path.iterdir()] == ["contents"]
