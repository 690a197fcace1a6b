"""Bytes that a capture keeps, each once."""

import hashlib
from pathlib import Path

from ssmsim.contents import write_contents


def name_of(sha256: str) -> str:
    """The file of contents in a capture's folder, by their hash in hex."""
    return f"contents/{sha256[:16]}.zst"


def keep(folder: Path, data: bytes) -> str:
    """Write bytes into a capture, each once; returns their name as seen from a launch's folder."""
    file = name_of(hashlib.sha256(data).hexdigest())
    if not (folder / file).exists():
        (folder / "contents").mkdir(exist_ok=True)
        write_contents(folder / file, data)
    return f"../{file}"
