"""Accel-Sim as a child process: fed through a pipe, limited in time and memory, watched, believed only with proof."""

import contextlib
import ctypes
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ssmsim.engines.accelsim.install import HOW_TO_GET_IT, Install
from ssmsim.errors import SsmsimError

POLL_SECONDS = 0.2
LAST_LINES = 3
FINISHED = "*** exit detected ***"

# What its log says when it fails (it may still exit 0), the cause in our words, and what to do. Order matters.
FAILURES = [
    (r"undefined instruction : (\S+)", "Accel-Sim does not know the instruction {}",
     "use a build with Hopper support (2.0), or replay with --engine embedded"),
    (r"unsupported binary version: (\d+)", "Accel-Sim does not know sm_{} code",
     "use a build with Hopper support (2.0), or replay with --engine embedded"),
    (r"Unsupported GMMA N size.*?(\d*)", "Accel-Sim has no latency for this HGMMA's N {}",
     "replay with --engine embedded"),
    (r"(deadlock detected|DEADLOCK)", "Accel-Sim reports a deadlock",
     "look at the cores that its log names"),
    (r"Unknown Option:?\s*(.*)", "this Accel-Sim does not know the option {}",
     "its version was taken for another; report it with the log"),
    (r"(Kernel requires more resources)", "a thread block needs more than an SM of this configuration has",
     "raise the limit in the configuration"),
    (r"(std::bad_alloc)", "Accel-Sim ran out of memory", "raise the memory limit or sample fewer blocks"),
    (r"Assertion `(.*)' failed", "Accel-Sim aborted on the assertion {}", "see the log"),
]  # fmt: skip


@dataclass(frozen=True)
class Limits:
    """seconds: wall time of one run. memory_bytes: address space of the process."""

    seconds: float = 24 * 3600.0
    memory_bytes: int = 16 << 30


@dataclass(frozen=True)
class Run:
    """log: its whole output. The rest is of the process and those it started."""

    log: Path
    wall_seconds: float
    cpu_seconds: float
    peak_memory_bytes: int


Feed = Callable[[IO[bytes]], object]


def run(
    install: Install,
    folder: Path,
    log: Path,
    limits: Limits,
    feeds: dict[str, Feed],
    progress: Callable[[int], None] | None = None,
) -> Run:
    """Run in `folder`, where kernelslist.g and the configuration lie; feed each named pipe of it from a thread.

    progress is told how many thread blocks were started. Raises SsmsimError with the cause and the log's last lines
    on a deadlock, an unknown opcode or architecture, an abort, a time-out, too much memory, or an end without proof of
    success; an error of a feed is raised as it is.
    """
    for name in feeds:
        os.mkfifo(folder / name)
    environment = os.environ | {"LD_LIBRARY_PATH": ":".join(map(str, install.libraries))}
    tool = shutil.which("stdbuf")  # line by line, or an abort takes along what it had to say
    command = [
        *([tool, "-oL"] if tool else []),
        str(install.binary),
        "-trace",
        "./kernelslist.g",
        "-config",
        "./gpgpusim.config",
        "-config",
        "./trace.config",
    ]
    started, used = time.monotonic(), _child_seconds()
    with log.open("wb") as out:
        try:
            process = subprocess.Popen(
                command, cwd=folder, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=environment,
                start_new_session=True, preexec_fn=lambda: _limit(limits),
            )  # fmt: skip
        except OSError as error:
            raise SsmsimError(f"cannot run it: {error.strerror}", install.binary, HOW_TO_GET_IT) from None
        feeder = _Feeder(folder, feeds, lambda: _kill(process))
        feeder.start()
        try:
            peak, timed_out = _wait(process, log, started + limits.seconds, progress)
        finally:
            _kill(process)
            process.wait()
            feeder.release()
    wall = time.monotonic() - started
    if feeder.error is not None:
        raise feeder.error
    _judge(process.returncode, timed_out, limits, log)
    return Run(log, wall, _child_seconds() - used, peak)


def _child_seconds() -> float:
    """Processor time of all children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


PR_SET_PDEATHSIG = 1


def _limit(limits: Limits) -> None:
    """In the child, before it becomes Accel-Sim: its limits, and to end when this process does."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """The process and what it started (xz, cat): its own process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _wait(
    process: "subprocess.Popen[bytes]", log: Path, deadline: float, progress: Callable[[int], None] | None
) -> tuple[int, bool]:
    """(peak resident bytes, timed out) once the process has ended or its time is over."""
    peak, blocks, offset = 0, 0, 0
    while True:
        ended = process.poll() is not None
        peak = max(peak, _resident(process.pid))
        if progress is not None:
            with log.open("rb") as stream:
                stream.seek(offset)
                new = stream.read()
            whole = new.rfind(b"\n") + 1
            offset += whole
            more = new[:whole].count(b"thread block = ")
            if more:
                blocks += more
                progress(blocks)
        if ended:
            return peak, False
        if time.monotonic() > deadline:
            return peak, True
        time.sleep(POLL_SECONDS)


def _resident(pid: int) -> int:
    try:
        match = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return 1024 * int(match[1]) if match else 0


class _Feeder(threading.Thread):
    """Writes each pipe in turn; a pipe that its reader left is no error here, the process's end tells more."""

    def __init__(self, folder: Path, feeds: dict[str, Feed], on_error: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self.error: BaseException | None = None
        self._folder, self._feeds, self._on_error, self._over = folder, feeds, on_error, False

    def run(self) -> None:
        try:
            for name, feed in self._feeds.items():
                with (self._folder / name).open("wb") as stream:
                    if self._over:
                        return
                    feed(stream)
        except BrokenPipeError:
            pass
        except BaseException as error:
            self.error = error
            self._on_error()

    def release(self) -> None:
        """After the reader's end: let a writer that still waits go on into a broken pipe."""
        self._over = True
        while self.is_alive():
            for name in self._feeds:
                os.close(os.open(self._folder / name, os.O_RDONLY | os.O_NONBLOCK))
            self.join(0.05)


def last_lines(log: Path, count: int = LAST_LINES) -> str:
    with log.open("rb") as stream:
        stream.seek(max(0, log.stat().st_size - 8192))
        text = stream.read().decode("utf-8", "replace")
    return " | ".join([line.strip() for line in text.splitlines() if line.strip()][-count:]) or "(it printed nothing)"


def _judge(code: int, timed_out: bool, limits: Limits, log: Path) -> None:
    """Raise unless the process ended by itself with 0 after its last words."""
    tail = last_lines(log)
    if timed_out:
        raise SsmsimError(
            f"Accel-Sim ran longer than {limits.seconds:.0f} s and was stopped; it said last: {tail}",
            log,
            "raise the time limit or sample fewer blocks",
        )
    text = log.read_text("utf-8", "replace")
    for pattern, cause, remedy in FAILURES:
        if match := re.search(pattern, text):
            raise SsmsimError(f"{cause.format(match[1])}; it said last: {tail}", log, remedy)
    if code == -signal.SIGKILL:
        raise SsmsimError(
            f"Accel-Sim was killed, likely for its memory; it said last: {tail}", log, "sample fewer blocks"
        )
    if code != 0:
        how = f"aborted by signal {-code}" if code < 0 else f"exited with {code}"
        raise SsmsimError(f"Accel-Sim {how}; it said last: {tail}", log, "see the log")
    if FINISHED not in text:
        raise SsmsimError(f"Accel-Sim exited with 0 but did not finish; it said last: {tail}", log, "see the log")
