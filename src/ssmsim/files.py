"""Files that the program reads and writes. What it writes is whole or absent, and nothing of the user's is lost.

An output is never put in place of a file or folder that this program did not write in the same format: `Format` says how
an older file of a format is recognised, a hidden list in every folder written says what was written there. Links are
followed, FIFOs and character devices are written to, "-" is standard output.
"""

import errno
import json
import os
import shutil
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ssmsim.errors import SsmsimError

LIST = ".ssmsim-wrote.json"  # in every folder written: its format, and size and time of every file
HEAD_BYTES = 1 << 16  # of an existing file, what a Format is recognised by
MOST_BYTES = 1 << 28  # of a text file read whole
READER_SECONDS = 10.0  # a FIFO's reader must come within this
_of_the_process = threading.Lock()  # it is read by being set


@dataclass(frozen=True)
class Format:
    """A kind of output file.

    name:       for messages: "result", "table of stalls".
    recognises: is a file that begins with these bytes (HEAD_BYTES of them at most) one of this kind?
    """

    name: str
    recognises: Callable[[bytes], bool]


def csv_format(name: str, *columns: str) -> Format:
    """A CSV file whose first line begins with these columns."""
    return Format(name, lambda head: head.startswith(",".join(columns).encode()))


# --- reading ---------------------------------------------------------------------------------------------------------


def is_regular(path: Path | str) -> bool:
    """Is there a regular file, at the end of any links? False too for what is no path at all."""
    try:
        return stat.S_ISREG(Path(path).stat().st_mode)
    except (OSError, ValueError):  # ValueError: a null byte in the name
        return False


def read_bytes(path: Path | str, todo: str = "", most: int = MOST_BYTES) -> bytes:
    """A file's bytes, `most` of them at most. Raises SsmsimError naming the file; devices and FIFOs are not read."""
    path = Path(path)
    try:
        kind = path.stat()
        if not stat.S_ISREG(kind.st_mode) and not _is_descriptor(path):
            raise SsmsimError("not a file", path, todo)
        with path.open("rb") as file:
            data = file.read(most + 1)
    except FileNotFoundError:
        raise SsmsimError("no such file", path, todo) from None
    except (OSError, ValueError) as error:
        raise SsmsimError(f"cannot be read: {reason(error)}", path, todo) from None
    if len(data) > most:
        raise SsmsimError(f"longer than {most >> 20} MiB", path, todo)
    return data


def read_text(path: Path | str, todo: str = "") -> str:
    """A UTF-8 file's text, without a byte-order mark. Raises SsmsimError naming the file."""
    try:
        return read_bytes(path, todo).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SsmsimError(f"not UTF-8 text: {error.reason} at byte {error.start}", path, todo) from None


def read_json(path: Path | str, todo: str = "") -> Any:
    """A JSON file's value; a key given twice, NaN and infinities are errors. Raises SsmsimError naming the file."""
    text = read_text(path, todo)
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise SsmsimError(f"not JSON: {error.msg}", f"{path}:{error.lineno}", todo) from None
    except RecursionError:
        raise SsmsimError("not JSON: nested too deeply", path, todo) from None
    except ValueError as error:  # of ours, and of Python for integers of more than 4300 digits
        message = str(error) if str(error).startswith("key ") else "a number is too long or not finite"
        raise SsmsimError(f"not JSON: {message}", path, todo) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"key {key[:80]!r} is given twice")
        found[key] = value
    return found


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _is_descriptor(path: Path) -> bool:
    """/dev/fd/63 and the like: what a shell's <(...) gives."""
    return str(path).startswith(("/dev/fd/", "/dev/stdin", "/proc/self/fd/"))


def reason(error: BaseException) -> str:
    """An operating system's error without the path, which stands before it."""
    text = getattr(error, "strerror", None) or str(error)
    return text[:1].lower() + text[1:]


# --- what may be written ---------------------------------------------------------------------------------------------


def is_stdout(path: Path | str) -> bool:
    """Is this "-", or a name of what standard output is, such as /dev/stdout?"""
    if str(path) == "-":
        return True
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):
        return False


def check_outputs(outputs: Mapping[str, tuple[Path, Format]], inputs: Iterable[Path] = ()) -> None:
    """Raise SsmsimError for the first output that could not be written, before any work is done.

    outputs: option -> its path and format. Nothing is created. No two may be one file, and none an input.
    """
    seen: dict[str, str] = {}
    read = {_real(path): path for path in inputs}
    for option, (path, format_) in outputs.items():
        check_output(path, format_)
        real = "-" if is_stdout(path) else str(_real(path))
        if real in seen and not _is_device(path):
            raise SsmsimError(f"{seen[real]} and {option} name one file", path, "give each a file of its own")
        if real != "-" and Path(real) in read:
            raise SsmsimError(f"{option} names an input", path, "name another file")
        seen[real] = option


def check_output(path: Path | str, format_: Format | None = None) -> None:
    """Raise SsmsimError when `path` is no place for a file of this format; nothing is created."""
    path = Path(path)
    if is_stdout(path):
        return
    real = _real(path)
    mode = _mode(real, path)
    if mode is None:
        _check_folder_of(real, path)
    elif stat.S_ISDIR(mode):
        raise SsmsimError("is a folder", path, "name a file")
    elif stat.S_ISREG(mode):
        if not os.access(real, os.W_OK):
            raise SsmsimError("is write-protected", path, "name another file")
        if format_ is not None and not _recognised(real, format_):
            raise SsmsimError(f"exists and is not a {format_.name}", path, "name another file, or remove it first")
        _check_folder_of(real, path)
    elif not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)):
        raise SsmsimError("is neither a file, a FIFO nor a character device", path, "name a file")
    elif not os.access(real, os.W_OK):
        raise SsmsimError("is write-protected", path, "name another file")


def check_folder(path: Path | str, format_: str, inputs: Iterable[Path] = ()) -> None:
    """Raise SsmsimError when a folder of this format may not be written at `path`; nothing is created.

    An existing folder must be empty, or hold just what `whole_folder` wrote there in the same format, unchanged. It must
    not hold an input or the working folder.
    """
    path = Path(path)
    real = _real(path)
    other = "name a new folder"
    mode = _mode(real, path)
    if mode is None:
        _check_folder_of(real, path)
        return
    if not stat.S_ISDIR(mode):
        raise SsmsimError("exists and is not a folder", path, other)
    for place in inputs:
        inside = _real(place)
        if inside == real or real in inside.parents:
            raise SsmsimError(f"holds an input, {place}", path, other)
    here = Path.cwd()
    if here == real or real in here.parents:
        raise SsmsimError("is the working folder, or holds it", path, other)
    foreign = _foreign(real, format_)
    if foreign:
        raise SsmsimError(foreign, path, f"{other}, or remove this one first")
    _check_folder_of(real, path)


def _foreign(folder: Path, format_: str) -> str:
    """Why the contents of a folder may not be replaced; "" when they may."""
    there = _listed(folder)
    if not there:
        return ""
    try:
        told = json.loads((folder / LIST).read_text())
        kind, files = str(told["format"]), {str(name): tuple(about) for name, about in told["files"].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return f"is not empty ({sorted(there)[0]}), and ssmsim did not write it"
    if kind != format_:
        return f"holds another kind of output ({kind}, not {format_})"
    for name in sorted(there):
        if name != LIST and files.get(name) != there[name]:
            return f"holds {name}, which was {'changed since' if name in files else 'not'} written by ssmsim"
    return ""


def _listed(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time in ns of everything in a folder, links and empty folders included, by relative name."""
    found: dict[str, tuple[int, int]] = {}
    for root, folders, files in os.walk(folder, onerror=_raise):
        links = [name for name in folders if Path(root, name).is_symlink()]
        for name in files + links:
            about = Path(root, name).lstat()
            regular = stat.S_ISREG(about.st_mode)
            place = str(Path(root, name).relative_to(folder))
            found[place] = (about.st_size, about.st_mtime_ns) if regular else (-1, -1)
        if not files and not folders and Path(root) != folder:
            found[str(Path(root).relative_to(folder))] = (0, 0)
    return found


def _raise(error: OSError) -> None:
    raise error


def _real(path: Path | str) -> Path:
    """The path with links followed; SsmsimError for a circle of links and what is no path at all."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError, RuntimeError) as error:
        raise SsmsimError(f"not a path: {reason(error)}", repr(str(path)), "name another") from None


def _mode(real: Path, shown: Path) -> int | None:
    """File type and permissions at the end of all links; None where nothing is yet."""
    try:
        return (real if real.exists() else shown).stat().st_mode  # /dev/fd/1 may lead to no path
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise SsmsimError(f"cannot be written: {reason(error)}", shown, "name another path") from None


def _is_device(path: Path) -> bool:
    mode = _mode(_real(path), path)
    return mode is not None and stat.S_ISCHR(mode)


def _check_folder_of(real: Path, shown: Path) -> None:
    """The folder that `real` would lie in exists, or can be made, and takes new files."""
    above = real.parent
    while not above.exists() and above != above.parent:
        above = above.parent
    try:
        longest = os.statvfs(above).f_namemax
        if any(len(os.fsencode(part)) > longest for part in real.parts):
            raise OSError(errno.ENAMETOOLONG, f"a name is longer than {longest} bytes")
        if not above.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, f"{above} is not a folder")
        with tempfile.TemporaryFile(dir=above):
            pass
    except OSError as error:
        raise SsmsimError(f"cannot be written: {reason(error)}", shown, "name another path") from None


def _recognised(file: Path, format_: Format) -> bool:
    """Is an existing file of this format? An empty one holds nothing that could be lost."""
    try:
        with file.open("rb") as opened:
            head = opened.read(HEAD_BYTES)
    except OSError:
        return False
    return not head or format_.recognises(head)


# --- writing ---------------------------------------------------------------------------------------------------------


@contextmanager
def whole_file(path: Path | str, format_: Format | None = None) -> Iterator[Path]:
    """Yield a temporary path; what is written there goes to `path` on success, and is deleted on any error.

    A regular file is replaced at once, by a rename in its folder. With a format, only a file of that format is: see
    `check_output`, whose errors are raised first. Links are followed; "-", FIFOs and devices are written to.
    """
    path = Path(path)
    check_output(path, format_)
    real = _real(path)
    mode = None if is_stdout(path) else _mode(real, path)
    through = is_stdout(path) or not (mode is None or stat.S_ISREG(mode))
    temporary: Path | None = None
    try:
        if not through:
            real.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(
            dir=None if through else real.parent, prefix=f".{path.name[:80]}.", suffix=path.suffix[:16]
        )
        os.close(handle)
        temporary = Path(name)
        yield temporary
        if through:
            _pour(temporary, path)
        else:
            temporary.chmod(stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())
            temporary.replace(real)
    except OSError as error:
        if temporary is not None and error.filename not in (None, str(temporary), str(real), str(path)):
            raise
        raise SsmsimError(f"cannot be written: {reason(error)}", path, "name another path or free space") from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _pour(source: Path, target: Path) -> None:
    """Copy a file into standard output, a FIFO or a device."""
    with source.open("rb") as file:
        if is_stdout(target):
            sys.stdout.flush()
            shutil.copyfileobj(file, getattr(sys.stdout, "buffer", None) or _Encoded(sys.stdout))
            sys.stdout.flush()
            return
        with os.fdopen(_opened(target), "wb") as out:
            shutil.copyfileobj(file, out)


class _Encoded:
    """A text stream that takes bytes, where standard output has been replaced by one without a buffer."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def write(self, data: bytes) -> int:
        self.stream.write(data.decode())
        return len(data)


def _opened(target: Path) -> int:
    """A FIFO or device, opened for writing; a FIFO that nobody reads is an error after READER_SECONDS."""
    end = time.monotonic() + READER_SECONDS
    while True:
        try:
            handle = os.open(target, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
            os.set_blocking(handle, True)
            return handle
        except OSError as error:
            if error.errno != errno.ENXIO or time.monotonic() > end:
                why = "nobody reads this FIFO" if error.errno == errno.ENXIO else reason(error)
                raise OSError(error.errno, why) from None
            time.sleep(0.05)


@contextmanager
def whole_folder(path: Path | str, format_: str, inputs: Iterable[Path] = ()) -> Iterator[Path]:
    """Yield a temporary folder beside `path`; it takes that place on success and disappears on any error.

    format_: of what the caller writes, such as "launch/1"; inputs: what it reads. See `check_folder`, whose errors are
    raised first.
    """
    path = Path(path)
    check_folder(path, format_, inputs)
    real = _real(path)
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=real.parent, prefix=f".{real.name[:80]}."))
    except OSError as error:
        raise SsmsimError(f"cannot be written: {reason(error)}", path, "name another path") from None
    try:
        yield temporary
        temporary.chmod(0o777 & ~_umask())
        (temporary / LIST).write_text(json.dumps({"format": format_, "files": _listed(temporary)}, indent=1) + "\n")
        check_folder(path, format_, inputs)  # what has come there meanwhile is not lost either
        _put(temporary, real)
    except OSError as error:
        if error.filename is None or str(temporary) not in str(error.filename):
            raise
        raise SsmsimError(f"cannot be written: {reason(error)}", path, "name another path or free space") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _put(temporary: Path, real: Path) -> None:
    """Rename a folder to its place; an older one there goes only once the new one stands."""
    if not real.exists():
        temporary.rename(real)
        return
    old = Path(tempfile.mkdtemp(dir=real.parent, prefix=f".{real.name[:80]}.old."))
    real.rename(old / "was")
    try:
        temporary.rename(real)
    except OSError:
        (old / "was").rename(real)
        with suppress(OSError):
            old.rmdir()
        raise
    shutil.rmtree(old)


def _umask() -> int:
    with _of_the_process:
        mask = os.umask(0)
        os.umask(mask)
    return mask
