"""Tracers: a launch to a BlockSource. A tracer's name is its module's name; each module holds TRACER."""

import importlib
import pkgutil

from ssmsim.errors import SsmsimError
from ssmsim.trace.types import Tracer


def tracer_names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name != "command")


def open_tracer(name: str) -> Tracer:
    if name not in tracer_names():
        raise SsmsimError(f"no tracer {name!r}", "", f"choose one of {', '.join(tracer_names())}")
    tracer: Tracer = importlib.import_module(f"{__name__}.{name}").TRACER
    return tracer
