"""Workloads: GPU programs under study. Each module of this folder without a leading underscore holds one WORKLOAD.

`python -m ssmsim.workloads NAME` runs one between cudaProfilerStart and cudaProfilerStop, for `ssmsim capture` and
`ssmsim measure`, as any other CUDA program would.
"""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ssmsim.errors import SsmsimError

Tensors = dict[str, Any]  # name to torch.Tensor
Step = Callable[[], Tensors]


@dataclass(frozen=True)
class Input:
    """One input tensor, contiguous; its bytes are those of `recipe` (see ssmsim.contents), the same everywhere."""

    name: str
    shape: tuple[int, ...]
    recipe: dict[str, Any]


@dataclass(frozen=True)
class Workload:
    """A GPU step with declared shapes and inputs.

    build: tensors on the GPU by input name, to the step to run. The step returns its outputs and gradients by name.
    """

    name: str
    shapes: dict[str, int]
    inputs: tuple[Input, ...]
    build: Callable[[Tensors], Step]


def workloads() -> dict[str, Workload]:
    """Every workload by name."""
    modules = (m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))
    found = (importlib.import_module(f"{__name__}.{name}").WORKLOAD for name in modules)
    return {workload.name: workload for workload in found}


def open_workload(name: str) -> Workload:
    known = workloads()
    if name not in known:
        raise SsmsimError(f"no workload {name!r}", "", f"choose one of {', '.join(sorted(known))}")
    return known[name]
