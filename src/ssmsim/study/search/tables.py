"""Tables of a search: every step, the front, the winners sampled and whole."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ssmsim.files import whole_file
from ssmsim.study.search.run import Found
from ssmsim.study.search.space import Point


def _about(found: Found, point: Point) -> dict[str, object]:
    """Columns that every table has of a configuration: its factors, its area and its sampled speed-up, with their ranges."""
    mm2, ends = found.space.area(point), found.speedups[point]
    return {"configuration": found.space.name(point), **dict(zip(found.space.axes, point, strict=True)),
            "mm2_low": mm2.low, "mm2": mm2.value, "mm2_high": mm2.high,
            "speedup_low": ends[0], "speedup": ends[1], "speedup_high": ends[2]}  # fmt: skip


def steps(found: Found) -> pd.DataFrame:
    """A line for each configuration that a method paid for, in its order.

    best: the least mm2 so far that reaches the target; without a target the front's hypervolume, mm2 times speed-up.
    """
    target, lines = found.search.target, []
    for name, known in found.known.items():
        for number, (point, best) in enumerate(zip(known.order, found.progress(name), strict=True), 1):
            reaches = {} if target is None else {"reaches_target": found.speedups[point][1] >= target}
            lines.append({"method": name, "step": number, **_about(found, point), **reaches, "best": best})
    return pd.DataFrame(lines)


def front(found: Found) -> pd.DataFrame:
    """The Pareto front of all that was simulated, the cheapest first."""
    return pd.DataFrame([{**_about(found, point), "found_by": found.found_by(point)} for point in found.front])


def winners(found: Found) -> pd.DataFrame:
    """Configurations that were simulated again whole: both speed-ups.

    in_interval: the whole one lies between the ends of the sampled one.
    """
    lines = []
    for point, speed in found.whole.items():
        low, _, high = found.speedups[point]
        target = found.search.target
        reaches = {} if target is None else {"target": target, "reaches_target_whole": speed >= target}
        lines.append({**_about(found, point), "found_by": found.found_by(point), "whole_speedup": speed,
                      "in_interval": low <= speed <= high, **reaches})  # fmt: skip
    return pd.DataFrame(lines)


TABLES = {"steps": steps, "front": front, "winners": winners}


def write_tables(found: Found, folder: Path) -> Sequence[Path]:
    written = []
    for name, make in TABLES.items():
        with whole_file(folder / f"{name}.csv") as temporary:
            make(found).to_csv(temporary, index=False, float_format="%.6g")
        written.append(folder / f"{name}.csv")
    return written
