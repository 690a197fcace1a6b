"""Random inputs whose bytes are known by a seed: short names for the recipes of ssmsim.contents."""

import math
from typing import Any

from ssmsim.workloads import Input


def normal(name: str, shape: tuple[int, ...], seed: int, dtype: str, scale: float = 1.0, offset: float = 0.0) -> Input:
    recipe: dict[str, Any] = {"kind": "normal", "seed": seed, "count": math.prod(shape)}
    return Input(name, shape, recipe | {"scale": scale, "offset": offset, "dtype": dtype})


def ramp(name: str, shape: tuple[int, ...], period: int, step: float, offset: float, dtype: str) -> Input:
    recipe: dict[str, Any] = {"kind": "ramp", "count": math.prod(shape), "period": period}
    return Input(name, shape, recipe | {"step": step, "offset": offset, "dtype": dtype})
