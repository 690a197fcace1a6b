"""Measured, embedded engine and Accel-Sim side by side, where Accel-Sim results exist."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import style
from analysis.data import Data
from analysis.tables.engines import NONE, make

ERRORS = (
    ("cycles_error_pct", "cycles: error, %"),
    ("l2_hit_points", "L2 hit rate: difference, points"),
    ("dram_read_bytes_error_pct", "DRAM bytes read: error, %"),
)
COST = (
    ("warp_instructions_per_s", "warp instructions per second of processor time"),
    ("peak_memory_mb", "peak memory, MB"),
    ("input_bytes", "bytes replayed from"),
)


def draw(data: Data) -> Figure:
    table = make(data)
    if "cycles" not in table:
        figure, axes = style.panels(1, 1, height=2.0)
        style.empty(axes[0, 0], NONE)
        return figure
    table = table.assign(peak_memory_mb=table.peak_memory_bytes / 1e6)
    figure, axes = style.panels(2, 3, height=3.4, width=11.5)
    whole, part = table[table.blocks_pct == 100], table[table.blocks_pct < 100]
    names = table.workload.str.removesuffix("-holdout").str.replace("mamba", "m") + "\n" + table.name
    names = names.where(table.blocks_pct == 100, names + f"\n{part.blocks_pct.max():.1f} % of the blocks")
    for panel, (column, what) in zip(axes[0], ERRORS, strict=True):
        _bars(panel, whole, names, column, what)
    for panel, (column, what) in zip(axes[1], COST, strict=True):
        if "memory" in column:
            _bars(panel, table, names, column, what)
        else:
            _points(panel, table, names, column, what)
    axes[0, 0].legend(fontsize=8)
    return figure


def _points(panel: Axes, table: pd.DataFrame, names: pd.Series, column: str, what: str) -> None:
    """One point per launch and engine on a logarithmic axis, which has no zero that a bar could stand on."""
    launches = list(dict.fromkeys(names.loc[table.index]))
    for i, engine in enumerate(dict.fromkeys(table.engine)):
        own = table[table.engine == engine]
        place = [launches.index(name) for name in names.loc[own.index]]
        shade = (style.SIMULATED, style.PAPER)[i % 2]
        panel.scatter(place, own[column], s=36, c=shade, edgecolors="black", marker="os"[i % 2], label=engine)
    panel.set_yscale("log")
    panel.set_xticks(np.arange(len(launches)), launches, rotation=40, ha="right", fontsize=6.5)
    panel.set_title(what, fontsize=9)


def _bars(panel: Axes, table: pd.DataFrame, names: pd.Series, column: str, what: str) -> None:
    """One group of bars per launch, one bar per engine."""
    launches = list(dict.fromkeys(names.loc[table.index]))
    engines = list(dict.fromkeys(table.engine))
    for i, engine in enumerate(engines):
        own = table[table.engine == engine]
        value = pd.Series(own[column].to_numpy(float), names.loc[own.index]).reindex(launches)
        panel.bar(
            np.arange(len(launches)) + (i - (len(engines) - 1) / 2) * 0.4,
            value,
            0.38,
            color=(style.SIMULATED, style.PAPER)[i % 2],
            edgecolor="black",
            hatch=style.HATCHES[i],
            lw=0.5,
            label=engine,
        )
    panel.axhline(0, color="black", lw=0.8)
    panel.set_xticks(np.arange(len(launches)), launches, rotation=40, ha="right", fontsize=6.5)
    panel.set_title(what, fontsize=9)
    panel.grid(axis="x", visible=False)


if __name__ == "__main__":
    style.main(draw, "measured, simulated")
