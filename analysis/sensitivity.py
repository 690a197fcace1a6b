"""Sweep points read back from their names: `vector@2+dram@1.5` is a factor per axis."""

import pandas as pd

from analysis.data import Data


def factors(config: str) -> dict[str, float]:
    """{axis: factor} of a sweep point; empty for any other configuration."""
    if "@" not in config:
        return {}
    return {axis: float(factor) for axis, factor in (part.split("@") for part in config.split("+"))}


def one_at_a_time(data: Data) -> pd.DataFrame:
    """Sweep points that vary one axis: the columns of Data.modified, and axis, factor."""
    table = data.modified()
    parts = table.config.map(factors)
    table = table[parts.map(len) == 1].copy()
    table["axis"] = [next(iter(factors(c))) for c in table.config]
    table["factor"] = [next(iter(factors(c).values())) for c in table.config]
    return table


def planes(data: Data) -> dict[tuple[str, str], pd.DataFrame]:
    """Two-parameter sweeps of at least two factors each way: (axis, axis) -> Data.modified and x, y (factors)."""
    table = data.modified()
    parts = table.config.map(factors)
    found: dict[tuple[str, str], pd.DataFrame] = {}
    for first, second in sorted({(a, b) for a, b in (tuple(p) for p in parts if len(p) == 2)}):
        pair = {first, second}
        swept = table[parts.map(lambda p, pair=pair: set(p) == pair)]
        if min(swept.config.map(lambda c, axis=axis: factors(c)[axis]).nunique() for axis in pair) < 2:
            continue
        edges = parts.map(lambda p, pair=pair: bool(p) and set(p) <= pair) | (table.config == data.baseline)
        plane = table[edges].merge(swept[["workload", "launch"]].drop_duplicates())
        plane["x"] = [factors(c).get(first, 1.0) for c in plane.config]
        plane["y"] = [factors(c).get(second, 1.0) for c in plane.config]
        found[first, second] = plane
    return found
