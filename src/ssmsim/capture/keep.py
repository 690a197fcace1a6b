"""Bytes that a capture keeps, each once."""

import hashlib
from pathlib import Path

from ssmsim.contents import write_contents


def keep(folder: Path, data: bytes) -> str:
    """Write bytes into a capture, each once; returns their name as seen from a launch's folder."""
    file = f"contents/{hashlib.sha256(data).hexdigest()[:16]}.zst"
    if not (folder / file).exists():
        (folder / "contents").mkdir(exist_ok=True)
        write_contents(folder / file, data)
    return f"../{file}"
