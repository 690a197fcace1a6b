"""The embedded engine: a cycle-level model of one GPU in Python, compiled by Numba.

Read loop.py first (the cycle loop), then records.py (all state), then one file per hardware unit. An edit in any file
takes effect at the next run: Numba's cache is kept in a folder named after a hash of all engine sources, because
Numba itself does not notice a change in a function that another file calls.
"""

import os
import sys
from pathlib import Path

import numba

from ssmsim.config.schema import SimConfig
from ssmsim.engines import compile_cache
from ssmsim.engines.embedded import sources
from ssmsim.engines.request import Request, Window, WindowRequest
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.results import Result


def cache_root() -> Path:
    """Where compiled code is kept: $SSMSIM_CACHE, else the user's cache folder."""
    if os.environ.get("SSMSIM_CACHE"):
        return Path(os.environ["SSMSIM_CACHE"])
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/ssmsim"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "ssmsim"


# Code compiled with bounds checking must not be mistaken for the other: Numba's index does not tell them apart.
CHECKED = "-checked" if numba.config.BOUNDSCHECK else ""
compile_cache.use(cache_root() / (sources.digest() + CHECKED))


class Embedded:
    """The engine's face to the rest of the program; see engines.Engine."""

    def simulate(self, request: Request) -> Result:
        from ssmsim.engines.embedded.simulate import simulate

        return simulate(request)

    def simulate_list(self, kernelslist: Path, config: SimConfig, sample: bool | int = False) -> Result:
        raise SsmsimError("a trace has no control bits, which engine embedded needs", kernelslist,
                          "use --engine accelsim, or name the launch/1 folder, whose cubin has them")  # fmt: skip

    def resident(self, launch: Launch, config: SimConfig) -> int:
        from ssmsim.engines.embedded.state.occupancy import occupancy

        return int(occupancy(launch, config).blocks)

    def window(self, request: WindowRequest) -> Window:
        from ssmsim.engines.embedded.sampling.window import Window

        return Window(request)

    def digest(self) -> str:
        return sources.digest()


ENGINE = Embedded()
