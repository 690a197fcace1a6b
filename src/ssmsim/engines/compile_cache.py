"""Compiled code that Numba keeps between runs, checked before it is used.

Numba reads its cache as it finds it: a truncated file is a traceback, a flipped bit a crash or another number. Here every
file of the cache ends with a SHA-256 of its name and contents. What does not match is deleted and compiled again, as
is what an older version of the program left without one. Numba reads pickles, which end before the hash.
"""

import contextlib
import hashlib
import io
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numba
from numba.core import caching

from ssmsim.errors import SsmsimError

MARK = b"ssmsim-sha256:"
TRAILER_BYTES = len(MARK) + hashlib.sha256().digest_size
LOOP = re.compile(r"\b(core|loop)\.run-")  # the function whose compilation takes nearly all of the time
FIRST_USE = ("ssmsim: compiling the engine, which takes 1 to 3 minutes; this happens once for each version of the engine "
             "on a machine")  # fmt: skip


def use(folder: Path) -> None:
    """Have Numba keep compiled code in `folder`, checked. Before the first compiled function is imported.

    Raises SsmsimError when the folder cannot be written.
    """
    folder = folder.absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        what = f"compiled code cannot be kept: {(error.strerror or str(error)).lower()}"
        raise SsmsimError(what, folder, "set SSMSIM_CACHE to a folder that you can write") from None
    numba.config.CACHE_DIR = str(folder)
    caching.IndexDataCacheFile = checked(folder, caching.IndexDataCacheFile)


def checked(folder: Path, base: Any) -> Any:
    """Numba's class of cache files, with a hash at the end of each file that lies in `folder`."""

    class Checked(base):
        """One function's index and its compiled versions; files elsewhere are none of ours."""

        @property
        def _ours(self) -> bool:
            return Path(self._cache_path).is_relative_to(folder)

        def load(self, key: Any) -> Any:
            found = super().load(key)
            if found is None and self._ours:
                announce(self._index_name)
            return found

        def _load_index(self) -> Any:
            if self._ours and not sound(Path(self._index_path)):
                return {}
            return super()._load_index()

        def _load_data(self, name: str) -> Any:
            path = Path(self._data_path(name))
            if self._ours and not sound(path):
                raise FileNotFoundError(path)  # to Numba: not compiled yet
            return super()._load_data(name)

        @contextlib.contextmanager
        def _open_for_write(self, filepath: str) -> Iterator[BinaryIO]:
            whole = io.BytesIO()
            yield whole
            with super()._open_for_write(filepath) as file:
                data = whole.getvalue()
                file.write(data + (trailer(Path(filepath).name, data) if self._ours else b""))

    return Checked


def trailer(name: str, data: bytes) -> bytes:
    """What ends a cache file of this name."""
    return MARK + hashlib.sha256(name.encode() + b"\0" + data).digest()


def sound(path: Path) -> bool:
    """Is the file there, and as it was written? One that is not is deleted."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return False
    if data[-TRAILER_BYTES:] == trailer(path.name, data[:-TRAILER_BYTES]):
        return True
    path.unlink(missing_ok=True)
    return False


_announced = False


def announce(function: str) -> None:
    """Say once that the engine is being compiled, when the cycle loop is."""
    global _announced
    if not _announced and LOOP.search(function):
        _announced = True
        print(FIRST_USE, file=sys.stderr, flush=True)
