"""Progress of a capture: a line every few seconds in a terminal, nothing elsewhere."""

import io

from ssmsim.capture.progress import EVERY_SECONDS, Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_line_every_few_seconds():
    stream, clock = Terminal(), Clock()
    progress = Progress(stream, clock)
    for launches in range(100):
        clock.now += EVERY_SECONDS / 4
        progress.launched(launches, "softmax_kernel")
    lines = stream.getvalue().splitlines()
    assert len(lines) == 25
    assert lines[0] == "ssmsim: 3 launches captured, now softmax_kernel"


def test_what_is_left_when_the_program_has_ended():
    stream, clock = Terminal(), Clock()
    progress = Progress(stream, clock)
    progress.left(9)
    clock.now += EVERY_SECONDS
    progress.left(7)
    assert stream.getvalue() == "ssmsim: the program has ended, 7 trials are left\n"


def test_nothing_outside_a_terminal():
    stream, clock = io.StringIO(), Clock()
    progress = Progress(stream, clock)
    clock.now = 1e6
    progress.launched(1, "softmax_kernel")
    assert stream.getvalue() == ""
