"""What reaches a user when something is wrong: a single line with cause, place and remedy, and an exit code that is not 0.

Every entry point runs its work in `told`: bad input is a SsmsimError; what nobody foresaw becomes one line as well, and
its traceback a file to report.
"""

import os
import platform
import shlex
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

LONGEST = 2000  # characters of a message; a name in the input may be of any length
KEPT = 20  # files of failures
DEBUG = "SSMSIM_DEBUG"  # environment variable: show tracebacks


class SsmsimError(Exception):
    """Bad input or a failed step, told in one line.

    what:  the fault, in plain words.
    where: file, line, field or PC where it was found ("" when there is none).
    todo:  what the user can do about it ("" when there is nothing to say).
    """

    def __init__(self, what: str, where: object = "", todo: str = "") -> None:
        self.what, self.where, self.todo = what, str(where), todo
        place = f"{where}: " if str(where) else ""
        remedy = f"; {todo}" if todo else ""
        super().__init__(one_line(f"{place}{what}{remedy}"))


def one_line(text: str) -> str:
    """A text of any origin as one printable line: no line breaks, no control characters, LONGEST characters at most."""
    line = "".join(c if c.isprintable() else " " if c.isspace() else f"\\x{ord(c):02x}" for c in text)
    half = LONGEST // 2
    return line if len(line) <= LONGEST else f"{line[:half]} ... {line[-half:]}"


def told(work: Callable[[], object], program: str = "ssmsim") -> int:
    """Run `work` and return the exit code; whatever goes wrong is told on standard error in one line."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # names of files may be any bytes
    try:
        done = work()
        sys.stdout.flush()
        return done if isinstance(done, int) else 0
    except SsmsimError as error:
        return _say(program, str(error), 1)
    except KeyboardInterrupt:
        return _say(program, "interrupted", 130)
    except BrokenPipeError:  # whoever read standard output has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141
    except MemoryError as error:
        _keep(error)
        return _say(program, "out of memory; give it more, or a smaller launch (--sample, fewer blocks)", 1)
    except OSError as error:
        _keep(error)
        place = f"{error.filename}: " if error.filename is not None else ""
        return _say(program, f"{place}{(error.strerror or str(error)).lower()}", 1)
    except Exception as error:
        kept = _keep(error)
        what = f"unforeseen {type(error).__name__}: {error}" if str(error) else f"unforeseen {type(error).__name__}"
        return _say(program, f"{one_line(what)[:300]}; this is a fault of ssmsim: please report it with {kept}", 70)


def _say(program: str, text: str, code: int) -> int:
    if os.environ.get(DEBUG) and sys.exc_info()[0] is not None:
        traceback.print_exc()
    print(f"{program}: {one_line(text)}", file=sys.stderr)
    return code


def _keep(error: BaseException) -> str:
    """Write the traceback to a file and return its path; where none can be written, print the traceback."""
    text = "".join(_report(error))
    for folder in (state_folder() / "failures", Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
            file = folder / f"ssmsim-failure-{stamp}-{os.getpid()}.log"
            file.write_text(text, encoding="utf-8", errors="backslashreplace")
            for old in sorted(folder.glob("ssmsim-failure-*.log"))[:-KEPT]:
                old.unlink(missing_ok=True)
            return str(file)
        except OSError:
            continue
    print(text, file=sys.stderr)
    return "the traceback above"


def _report(error: BaseException) -> Iterator[str]:
    import ssmsim

    yield f"ssmsim {ssmsim.__version__}, Python {platform.python_version()}, {platform.platform()}\n"
    yield f"{shlex.join(sys.argv)}\nin {os.getcwd()}\n\n"  # noqa: PTH109 (a working folder that is gone has no Path)
    yield from traceback.format_exception(error)


def state_folder() -> Path:
    """Where logs are kept: $SSMSIM_CACHE, else the user's state folder."""
    if os.environ.get("SSMSIM_CACHE"):
        return Path(os.environ["SSMSIM_CACHE"])
    if sys.platform == "darwin":
        return Path.home() / "Library/Logs/ssmsim"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "ssmsim"
