"""Progress of the simulations in a terminal: done, rate, time left, one line every few seconds."""

import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO


def line(done: int, total: int, finished: int, seconds: float) -> str:
    """`412 of 630 simulations, 2.1 per second, 104 s left`; `finished` of the `done` took `seconds`."""
    rate = finished / seconds if seconds else 0.0
    left = f", {rate:.1f} per second, {(total - done) / rate:.0f} s left" if rate else ""
    return f"{done} of {total} simulations{left}"


def watch(results: Sequence[str], stream: TextIO = sys.stderr, wait: Callable[[float], None] = time.sleep) -> None:
    """Start a thread that reports how many of `results` are there, until all are; silent outside a terminal."""
    if not stream.isatty():
        return
    paths, begin = [Path(path) for path in results], time.time()
    fresh = {path for path in paths if path.exists()}

    def report() -> None:
        before = -1
        while True:
            now = [path for path in paths if path.exists()]
            finished = sum(path not in fresh or path.stat().st_mtime >= begin for path in now)
            if finished != before and finished:
                print(line(len(now), len(paths), finished, time.time() - begin), file=stream, flush=True)
                before = finished
            if len(now) == len(paths):
                return
            wait(5.0)

    threading.Thread(target=report, daemon=True).start()
