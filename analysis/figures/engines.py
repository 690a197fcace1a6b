"""Measured, embedded engine and Accel-Sim side by side, where Accel-Sim results exist."""

import numpy as np
from matplotlib.figure import Figure

from analysis import style
from analysis.data import CYCLES, L2_HIT, READ, WRITE, Data

METRICS = ((CYCLES, "cycles"), (L2_HIT, "L2 hit rate"), (READ, "DRAM bytes read"), (WRITE, "DRAM bytes written"))


def draw(data: Data) -> Figure:
    others = [engine for engine in data.rows.engine.unique() if engine not in ("measured", data.engine)]
    figure, axes = style.panels(2, 2, height=3.4, width=11)
    if not others:
        for panel in axes.flat:
            panel.set_axis_off()
        style.empty(
            axes[0, 0],
            "no result of another engine: install Accel-Sim, set ACCELSIM_ROOT\n"
            "and add accelsim to engines: in analysis/study.yaml",
        )
        return figure
    for panel, (metric, what) in zip(axes.flat, METRICS, strict=True):
        tables = {engine: data.pairs(metric, engine) for engine in (data.engine, *others)}
        common = tables[others[0]][["workload", "launch", "cache", "name"]]
        if common.empty:
            style.empty(panel, f"{what}: not had by {others[0]}")
            continue
        place = np.arange(len(common))
        for i, (engine, table) in enumerate(tables.items()):
            error = common.merge(table[["workload", "launch", "cache", "measured", "simulated"]], how="left")
            relative = metric in (CYCLES, READ, WRITE)
            value = error.simulated - error.measured if not relative else 100 * (error.simulated / error.measured - 1)
            panel.bar(
                place + (i - len(others) / 2) * 0.4,
                value,
                0.38,
                color=(style.SIMULATED, style.PAPER)[i % 2],
                edgecolor="black",
                hatch=style.HATCHES[i],
                lw=0.5,
                label=engine,
            )
        panel.axhline(0, color="black", lw=0.8)
        panel.set_xticks(place, common.name + ", " + common.cache, rotation=40, ha="right", fontsize=7)
        panel.set(ylabel="error, %" if relative else "error, points", title=what)
        panel.grid(axis="x", visible=False)
    axes[0, 0].legend(fontsize=8)
    return figure


if __name__ == "__main__":
    style.main(draw, "measured, simulated")
