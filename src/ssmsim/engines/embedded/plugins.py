"""Plug-in points: rules of the model that a configuration chooses by name. A name is a module's; a new one is a new file.

Each point is a package of modules that define the same functions with the same arguments. The choice is made before the
loop: parameters.py turns the name into the module's number, and compiled code branches on it. The branch always goes the
same way, so it costs nothing that can be measured (docs/how-to/add-a-policy.md says how that was measured).
"""

import importlib
import pkgutil
from collections.abc import Callable
from types import ModuleType
from typing import Any

from numba import njit

from ssmsim.errors import SsmsimError


def names(package: ModuleType) -> list[str]:
    """Modules of the plug-in point, in the order of their numbers."""
    return sorted(module.name for module in pkgutil.iter_modules(package.__path__))


def number(package: ModuleType, name: str, field: str) -> int:
    """Number of the module that a configuration's field names. Raises SsmsimError with the names there are."""
    if name not in names(package):
        raise SsmsimError(f"there is no {name!r}", field, f"choose one of {', '.join(names(package))}")
    return names(package).index(name)


def chosen(package: ModuleType, function: str, inline: bool = False) -> Callable[..., Any]:
    """Compiled f(number, *arguments): the function of that name in the module with this number.

    inline: repeated wherever it is called, for what is small and called in every cycle.
    """
    modules = [importlib.import_module(f"{package.__name__}.{name}") for name in names(package)]
    rest = getattr(modules[-1], function)
    pick = _last(rest)
    for place in range(len(modules) - 2, -1, -1):
        pick = _either(place, getattr(modules[place], function), pick, inline or place > 0)
    return pick


def _last(only: Callable[..., Any]) -> Callable[..., Any]:
    @njit(forceinline=True)
    def pick(number, *arguments):
        return only(*arguments)

    return pick


def _either(place: int, first: Callable[..., Any], others: Callable[..., Any], inline: bool) -> Callable[..., Any]:
    @njit(forceinline=inline)
    def pick(number, *arguments):
        if number == place:
            return first(*arguments)
        return others(number, *arguments)

    return pick
