"""Progress of a capture in a terminal: a line every few seconds, while the program under study runs."""

import sys
import time
from collections.abc import Callable
from typing import TextIO

EVERY_SECONDS = 5.0


class Progress:
    """Told of every launch; silent outside a terminal, and for a program that is done within some seconds."""

    def __init__(self, stream: TextIO = sys.stderr, clock: Callable[[], float] = time.monotonic) -> None:
        self.stream, self.clock = stream, clock
        self.shown = stream.isatty()
        self.next = clock() + EVERY_SECONDS

    def launched(self, launches: int, kernel: str) -> None:
        """launches: noted so far; kernel: the one that is noted now, whose code may have to be read first."""
        if self.shown and self.clock() >= self.next:
            self.next = self.clock() + EVERY_SECONDS
            print(f"ssmsim: {launches} launches captured, now {kernel[:60]}", file=self.stream, flush=True)

    def left(self, tasks: int) -> None:
        """The program has ended. tasks: trials of its launches and contents that are still worked at."""
        if self.shown and self.clock() >= self.next:
            self.next = self.clock() + EVERY_SECONDS
            print(f"ssmsim: the program has ended, {tasks} trials are left", file=self.stream, flush=True)
