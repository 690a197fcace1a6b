"""What each resource is worth to each kernel: mean over all settings of the others in the factorial design, with intervals."""

import numpy as np
from matplotlib.figure import Figure

from analysis import style
from analysis.data import CYCLES, Data
from analysis.factorial import responses

KERNELS, WIDEST = 9, 60.0  # panels; % that the axis shows


def draw(data: Data) -> Figure:
    base = data.simulated(cache=data.explored_cache).set_index(["workload", "launch"])
    found = {key: runs for key, runs in responses(data).items() if key in base.index}
    if not found:
        figure, axes = style.panels(1, 1)
        style.empty(axes[0, 0], "no factorial design in this study")
        return figure
    heavy = sorted(found, key=lambda key: -base.loc[key, CYCLES])[:KERNELS]
    columns = min(3, len(heavy))
    figure, axes = style.panels(-(-len(heavy) // columns), columns, height=0.2 * 10 + 1.0, width=11)
    for panel in axes.flat[len(heavy) :]:
        panel.set_axis_off()
    tables = {key: 100 * (found[key].worth()[["speedup", "low", "high"]] - 1) for key in heavy}
    limit = min(WIDEST, max(10.0, 1.1 * max(float(table.high.max()) for table in tables.values())))
    for panel, key in zip(axes.flat, heavy, strict=False):
        table = tables[key].sort_values("speedup")
        error = np.vstack([table.speedup - table.low, table.high - table.speedup])
        there = (table.low > 0) | (table.high < 0)
        style.points_with_errors(panel, table.speedup.clip(upper=limit), np.arange(len(table)), error, there)
        for place, value in enumerate(table.speedup):
            if value > limit:
                panel.annotate(f"{value:.0f} % →", (limit, place), ha="right", va="bottom", fontsize=6.5)
        panel.set_yticks(np.arange(len(table)), table.index, fontsize=7)
        panel.axvline(0, color="black", lw=0.8)
        row = base.loc[key]
        panel.set_title(f"{row['name']}\n{key[0]}, {row[CYCLES] / 1e3:,.0f} thousand cycles", fontsize=8.5)
        panel.set(xlim=(-limit / 4, limit))
        panel.tick_params(axis="x", labelsize=7)
        panel.grid(axis="y", visible=False)
    for panel in axes[-1]:
        panel.set_xlabel("speed-up with twice of it, %, 95 % interval", fontsize=8)
    return figure


if __name__ == "__main__":
    style.main(draw, "simulated", explored=True)
