"""Engines: replay a launch under a configuration. An engine's name is its module's name; each module holds ENGINE."""

import importlib
import pkgutil
from pathlib import Path
from typing import Protocol

from ssmsim.config.schema import SimConfig
from ssmsim.engines.request import Request, Window, WindowRequest
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.results import Result


class Engine(Protocol):
    """Turns warp instruction streams into the counters that the hardware would have given.

    What an engine cannot do of this it refuses by a SsmsimError that names it.
    """

    def simulate(self, request: Request) -> Result:
        """Replay all blocks of the request. Raises SsmsimError on what it cannot replay; never a wrong number."""
        ...

    def simulate_list(self, kernelslist: Path, config: SimConfig, sample: bool | int = False) -> Result:
        """Replay the one kernel that an Accel-Sim kernelslist names."""
        ...

    def resident(self, launch: Launch, config: SimConfig) -> int:
        """Thread blocks of the launch that an SM holds."""
        ...

    def window(self, request: WindowRequest) -> Window:
        """A piece of a launch, for Request.window."""
        ...

    def digest(self) -> str:
        """Hash of the engine's sources: same digest, same config, same blocks, same counters."""
        ...


def engine_names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)


def open_engine(name: str) -> Engine:
    if name not in engine_names():
        raise SsmsimError(f"no engine {name!r}", "", f"choose one of {', '.join(engine_names())}")
    engine: Engine = importlib.import_module(f"{__name__}.{name}").ENGINE
    return engine
