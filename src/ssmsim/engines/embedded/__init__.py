"""The embedded engine: a cycle-level model of one GPU in Python, compiled by Numba.

Read loop.py first (the cycle loop), then records.py (all state), then one file per hardware unit. An edit in any file
takes effect at the next run: Numba's cache is kept in a folder named after a hash of all engine sources, because
Numba itself does not notice a change in a function that another file calls.
"""

import functools
import hashlib
import os
import sys
from pathlib import Path
from typing import Any

import numba

from ssmsim.engines import compile_cache

HERE = Path(__file__).parent


@functools.cache
def digest() -> str:
    """Hash of every source file of the engine, its subfolders included: names and contents."""
    total = hashlib.sha256()
    for file in sorted(HERE.rglob("*.py")):
        total.update(file.relative_to(HERE).as_posix().encode() + b"\0" + file.read_bytes())
    return total.hexdigest()[:16]


def cache_root() -> Path:
    """Where compiled code is kept: $SSMSIM_CACHE, else the user's cache folder."""
    if os.environ.get("SSMSIM_CACHE"):
        return Path(os.environ["SSMSIM_CACHE"])
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/ssmsim"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "ssmsim"


# Code compiled with bounds checking must not be mistaken for the other: Numba's index does not tell them apart.
CHECKED = "-checked" if numba.config.BOUNDSCHECK else ""
compile_cache.use(cache_root() / (digest() + CHECKED))


class Embedded:
    """The engine's face to the rest of the program; see engines.Engine."""

    def simulate(self, *arguments: Any, **options: Any) -> Any:
        from ssmsim.engines.embedded.simulate import simulate

        return simulate(*arguments, **options)

    def window(self, *arguments: Any) -> Any:
        """A piece of a launch for simulate(..., window=); see window.Window."""
        from ssmsim.engines.embedded.sampling.window import Window

        return Window(*arguments)

    def resident(self, launch: Any, config: Any) -> int:
        """Thread blocks that an SM holds."""
        from ssmsim.engines.embedded.state.occupancy import occupancy

        return int(occupancy(launch, config).blocks)

    def digest(self) -> str:
        return digest()


ENGINE = Embedded()
