"""What became of a case: a result, a clean error, or one of what must never be."""

import resource
import signal
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings

from ssmsim.errors import SsmsimError
from tests.fuzz.targets import Target

CLASSES = ("result", "clean error", "traceback", "silent wrong result", "timeout", "memory")
SECONDS, BYTES = 60, 4 << 30  # a case that takes longer, or more memory beyond what the process has


class TooLong(BaseException):
    """Raised by the clock inside a case; not an Exception, so that no reader takes it for its own."""


def _ring(*_: object) -> None:
    raise TooLong


@contextmanager
def bounded() -> Iterator[None]:
    """Run a case with a limit of time and of memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    old = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + BYTES, old[1]))
    before = signal.signal(signal.SIGALRM, _ring)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, old)


def outcome(target: Target, case: Any, folder: Path) -> tuple[str, str]:
    """(class, where: file and line of a traceback)."""
    try:
        with bounded():
            target.run(case, folder)
        return "result", ""
    except SsmsimError as error:
        told = str(error)
        return (
            ("clean error", "")
            if told and "\n" not in told and len(told) < 4000
            else ("traceback", "a message of many lines")
        )
    except TooLong as error:
        return "timeout", _place(error)
    except MemoryError as error:
        return "memory", _place(error)
    except AssertionError as error:
        own = "tests/fuzz" in traceback.extract_tb(error.__traceback__)[-1].filename
        return ("silent wrong result" if own else "traceback"), f"{error} at {_place(error)}"
    except Exception as error:
        return "traceback", f"{type(error).__name__} at {_place(error)}"


def _place(error: BaseException) -> str:
    """The innermost line of the project, and the innermost of all."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/ssmsim/" in frame.filename] or frames
    return f"{ours[-1].filename.rsplit('/src/', 1)[-1]}:{ours[-1].lineno} ({Path(frames[-1].filename).name}:{frames[-1].lineno})"


def count(target: Target, cases: int, start: int, folder: Path, kept: dict[str, Any]) -> Counter[str]:
    """Classes of `cases` damaged inputs; `kept` gets one case for each place of what must never be."""
    target.run(target.sound, folder)  # raises when a sound input is refused; compiles what has not been compiled
    found: Counter[str] = Counter()

    @seed(start)
    @settings(
        max_examples=cases,
        database=None,
        phases=[Phase.generate],
        deadline=None,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    @given(target.cases)
    def each(case: Any) -> None:
        kind, where = outcome(target, case, folder)
        found[kind] += 1
        if kind not in ("result", "clean error"):
            kept.setdefault(f"{kind}: {where}", case)

    each()
    return found
