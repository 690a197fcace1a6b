"""Identity of the engine: a hash of its sources."""

import functools
import hashlib
from pathlib import Path

from ssmsim import architecture
from ssmsim.trace import im2col

HERE = Path(__file__).parent
BESIDE = tuple(Path(str(module.__file__)) for module in (architecture, im2col))  # what is compiled from elsewhere


@functools.cache
def digest() -> str:
    """Hash of every source file that is compiled: the engine's, its subfolders included, and those beside it."""
    total = hashlib.sha256(b"".join(file.read_bytes() for file in BESIDE))
    for file in sorted(HERE.rglob("*.py")):
        total.update(file.relative_to(HERE).as_posix().encode() + b"\0" + file.read_bytes())
    return total.hexdigest()[:16]
