"""Engines: replay a launch under a configuration. An engine's name is its module's name; each module holds ENGINE."""

import importlib
import pkgutil
from typing import Any, Protocol

from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.results import Result
from ssmsim.trace.types import BlockSource, Program


class Engine(Protocol):
    """Turns warp instruction streams into the counters that the hardware would have given."""

    def simulate(self, program: Program, blocks: BlockSource, launch: Launch, config: Any, **options: Any) -> Result:
        """Replay all of `blocks`. Raises SsmsimError on what it cannot replay; never a wrong number."""
        ...

    def digest(self) -> str:
        """Hash of the engine's sources: same digest, same config, same blocks, same counters."""
        ...


def engine_names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)


def open_engine(name: str) -> Engine:
    if name not in engine_names():
        raise SsmsimError(f"no engine {name!r}", "", f"choose one of {', '.join(engine_names())}")
    return importlib.import_module(f"{__name__}.{name}").ENGINE
