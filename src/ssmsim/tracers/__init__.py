"""Tracers: a launch to a BlockSource. A tracer's name is its module's name; each module holds TRACER."""

import importlib
import pkgutil
from collections.abc import Sequence
from typing import Protocol

from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.trace.types import BlockSource, Program


class Tracer(Protocol):
    """Gives the warp instruction streams of a launch, block by block."""

    def blocks(self, launch: Launch, program: Program, order: Sequence[int] | None = None) -> BlockSource:
        """Blocks with the linear ids of `order`, in that order (default: all, ascending)."""
        ...


def tracer_names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def open_tracer(name: str) -> Tracer:
    if name not in tracer_names():
        raise SsmsimError(f"no tracer {name!r}", "", f"choose one of {', '.join(tracer_names())}")
    return importlib.import_module(f"{__name__}.{name}").TRACER
