"""Triton's autotuning choices in a file, so that every process runs the same kernels: a capture keeps those of its program,
and the runs that measure it use them.

Triton's own cache leaves out kernels whose configurations have a hook (those that add to memory with atomics): they are
tuned again in each process and may come out differently.
"""

import json
from pathlib import Path
from typing import Any

from ssmsim.files import whole_file

_choices: dict[str, dict[str, Any]] = {}  # "kernel (key)" to a configuration
TUNING = "tuning.json"  # in a capture
FIELDS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


def _entry(tuner: Any, key: tuple[Any, ...]) -> str:
    return f"{tuner.base_fn.__name__} {list(key)}"


def _facts(configuration: Any) -> dict[str, Any]:
    return {"kwargs": dict(configuration.kwargs)} | {f: getattr(configuration, f) for f in FIELDS}


class _Pinned(dict[tuple[Any, ...], Any]):
    """An autotuner's cache that answers with the recorded choice, where there is one, and records new ones."""

    def __init__(self, tuner: Any) -> None:
        super().__init__()
        self.tuner = tuner

    def __contains__(self, key: object) -> bool:
        if super().__contains__(key):
            return True
        wanted = _choices.get(_entry(self.tuner, key))  # type: ignore[arg-type]
        for configuration in self.tuner.configs if wanted else ():
            if _facts(configuration) == wanted:
                super().__setitem__(key, configuration)  # type: ignore[index]
                return True
        return False

    def __setitem__(self, key: tuple[Any, ...], configuration: Any) -> None:
        super().__setitem__(key, configuration)
        _choices[_entry(self.tuner, key)] = _facts(configuration)


def pin_tuning(path: Path | None = None) -> None:
    """Use the choices of `path`, if it is there, in every autotuner made from now on, and remember new ones."""
    try:
        from triton.runtime.autotuner import Autotuner
    except ImportError:
        return  # a program without Triton
    if path is not None and path.is_file():
        _choices.update(json.loads(path.read_text()))
    initialise = Autotuner.__init__

    def pinned(self: Any, *args: Any, **kwargs: Any) -> None:
        initialise(self, *args, **kwargs)
        self.cache = _Pinned(self)

    Autotuner.__init__ = pinned


def keep_tuning(path: Path) -> None:
    """Write every choice known so far; no file when there is none."""
    if not _choices:
        return
    with whole_file(path) as temporary:
        temporary.write_text(json.dumps(dict(sorted(_choices.items())), indent=1, default=str) + "\n")
