"""Worker processes beside a captured program, and the threads that hand them work.

A worker is a fresh `python -m ssmsim.capture.worker`, not a fork: the program has CUDA initialised and threads that hold
locks. It has no part in the interception and sees no GPU. Each has a thread in the program's process, which sends it one
task after the other; such a thread also does what needs no interpreter, as hashing and compressing. Workers are started
when there is work for them, and end with the process that started them, however that ends.
"""

import os
import pickle
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ssmsim

LENGTH = struct.Struct("<Q")  # before every message
# What would intercept a worker, too: the wish of a capture, libraries that are loaded into every process, and into CUDA's.
DROPPED = (
    "SSMSIM_CAPTURE",
    "LD_PRELOAD",
    "LD_AUDIT",
    "CUDA_INJECTION64_PATH",
    "NVTX_INJECTION64_PATH",
    "PYTHONSTARTUP",
)
PYTHONPATH = os.environ.get(
    "PYTHONPATH", ""
)  # before the program changes it: its folders may hide Python's own modules
SINGLE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def cores() -> int:
    """Workers that leave the program a core of those that it may run on."""
    return len(os.sched_getaffinity(0)) - 1


def environment() -> dict[str, str]:
    """Of a worker: no interception, no GPU, one thread each."""
    kept = {name: value for name, value in os.environ.items() if name not in DROPPED}
    source = str(Path(ssmsim.__file__).parents[1])
    path = os.pathsep.join(filter(None, (source, PYTHONPATH)))
    return kept | dict.fromkeys(SINGLE, "1") | {"CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": path}


class Died(Exception):
    """A worker ended while it worked, or raised. The text says how."""


@dataclass(eq=False)
class Task:
    """Something to do in a thread of the pool. work: gets the thread's worker. key: a worker that has had a task of the
    same key knows its code.
    """

    work: Callable[["Worker"], None]
    key: object = None


@dataclass(eq=False)
class Worker:
    """One process, started when it is first asked. setting: what it is told before all else."""

    setting: dict[str, Any]
    process: subprocess.Popen[bytes] | None = None
    sent: set[object] = field(default_factory=set)  # names of blobs that it has
    keys: set[object] = field(default_factory=set)

    def ask(self, what: str, blob: tuple[str, bytes], *arguments: Any) -> Any:
        """What function `what` of worker.py returns. blob: (name, bytes) of a cubin, which is sent once. Raises Died."""
        name, data = blob
        try:
            if self.process is None:
                self._start()
            self._send((what, name, None if name in self.sent else data, arguments))
            good, answer = self._receive()
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise Died(self._ended() or f"no worker can be started: {error}") from None
        self.sent.add(name)
        if not good:
            raise Died(answer)
        return answer

    def end(self) -> None:
        """End the process, whatever it does."""
        if self.process is not None:
            self.process.kill()
            self._ended()

    def _start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "ssmsim.capture.worker", str(os.getpid())],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(),
        )  # fmt: skip
        self.sent.clear()
        self.keys.clear()
        self._send(self.setting)

    def _send(self, message: Any) -> None:
        assert self.process is not None and self.process.stdin is not None
        pipe = self.process.stdin
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        pipe.write(LENGTH.pack(len(data)))
        pipe.write(data)
        pipe.flush()

    def _receive(self) -> Any:
        assert self.process is not None
        return receive(self.process.stdout)

    def _ended(self) -> str:
        """Wait for its end; how that came about, "" when there was no process. The next question starts another."""
        process, self.process = self.process, None
        if process is None:
            return ""
        for pipe in (process.stdin, process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                pass
        code = process.wait()
        return f"its worker was ended by signal {-code}" if code < 0 else f"its worker ended with exit code {code}"


def receive(pipe: Any) -> Any:
    """The next message of a pipe. EOFError when there is none."""
    head = pipe.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    data = pipe.read(LENGTH.unpack(head)[0])
    if len(data) < LENGTH.unpack(head)[0]:
        raise EOFError
    return pickle.loads(data)


class Pool:
    """Does tasks in the order in which they come, but for those that are worth little."""

    def __init__(self, count: int, setting: dict[str, Any]) -> None:
        """count: of workers, and of threads. setting: see worker.py."""
        self.count, self.setting = count, setting
        self.left = 0  # tasks that are queued or run, without those that are worth little
        self.failure: BaseException | None = None
        self.changed = threading.Condition()
        self._queue: list[Task] = []
        self._idle_tasks: list[Task] = []  # done when there is nothing else
        self._workers: list[Worker] = []
        self._waiting = 0  # threads without a task
        self._closed = False

    def add(self, task: Task, idle: bool = False) -> None:
        """Queue a task. idle: only to be done when no other waits; nobody waits for its end either."""
        with self.changed:
            (self._idle_tasks if idle else self._queue).append(task)
            self.left += not idle
            if len(self._queue) + len(self._idle_tasks) > self._waiting and len(self._workers) < self.count:
                worker = Worker(self.setting)
                self._workers.append(worker)
                name = f"ssmsim-worker-{len(self._workers)}"
                threading.Thread(target=self._serve, args=(worker,), name=name, daemon=True).start()
            self.changed.notify_all()

    def wait(self, seconds: float | None = None) -> int:
        """Wait until every task is done, or for some seconds at most; tasks that are left."""
        with self.changed:
            self.changed.wait_for(lambda: not self.left or self.failure is not None, seconds)
            return self.left

    def close(self) -> None:
        """End the workers; what they still do is lost."""
        with self.changed:
            self._closed = True
            self._queue.clear()
            self._idle_tasks.clear()
            workers = list(self._workers)
            self.changed.notify_all()
        for worker in workers:
            worker.end()

    def _serve(self, worker: Worker) -> None:
        while True:
            with self.changed:
                self._waiting += 1
                self.changed.wait_for(lambda: self._closed or self._queue or self._idle_tasks)
                self._waiting -= 1
                if self._closed:
                    return
                counts = bool(self._queue)
                task = self._next(worker)
            worker.keys.add(task.key)
            try:
                task.work(worker)
            except BaseException as error:  # told when the program has ended
                self.failure = self.failure or error
            del task  # and what it holds
            with self.changed:
                self.left -= counts
                self.changed.notify_all()

    def _next(self, worker: Worker) -> Task:
        """A task whose code the worker knows, else one whose code no worker knows, else the first."""
        queue = self._queue or self._idle_tasks
        elsewhere = set().union(*(other.keys for other in self._workers if other is not worker))
        for fits in (lambda t: t.key in worker.keys, lambda t: t.key not in elsewhere, lambda t: True):
            for i, task in enumerate(queue):
                if fits(task):
                    return queue.pop(i)
        raise AssertionError("an empty queue")
