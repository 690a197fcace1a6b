"""Identity of the engine: a hash of its sources."""

import functools
import hashlib
from pathlib import Path

from ssmsim import architecture

HERE = Path(__file__).parent
ARCHITECTURE = Path(architecture.__file__)


@functools.cache
def digest() -> str:
    """Hash of every source file that is compiled: the engine's, its subfolders included, and the architecture's facts."""
    total = hashlib.sha256(ARCHITECTURE.read_bytes())
    for file in sorted(HERE.rglob("*.py")):
        total.update(file.relative_to(HERE).as_posix().encode() + b"\0" + file.read_bytes())
    return total.hexdigest()[:16]
