"""L1 and L2 hit rates of each kernel, measured beside simulated."""

import numpy as np
from matplotlib.figure import Figure

from analysis import style
from analysis.data import L1_HIT, L2_HIT, Data


def draw(data: Data) -> Figure:
    figure, axes = style.panels(2, 1, height=3.2, width=11)
    tables = {level: data.pairs(metric) for level, metric in (("L1", L1_HIT), ("L2", L2_HIT))}
    tables = {level: t[(t.cache == "cold") & (t.role == "ssm")] for level, t in tables.items()}
    common = tables["L2"][["workload", "launch", "name"]]
    for panel, (level, pairs) in zip(axes[:, 0], tables.items(), strict=True):
        if pairs.empty:
            style.empty(panel, f"no {level} hit rate both measured and simulated")
            continue
        table = common.merge(pairs[["workload", "launch", "measured", "simulated"]], "left", on=["workload", "launch"])
        place = np.arange(len(table))
        panel.bar(place - 0.2, table.measured, 0.4, color=style.MEASURED, label="measured")
        panel.bar(
            place + 0.2,
            table.simulated,
            0.4,
            color=style.SIMULATED,
            edgecolor="black",
            hatch="///",
            lw=0.5,
            label="simulated",
        )
        names = table.workload.str.replace("mamba", "m") + " " + table.name if level == "L2" else [""] * len(table)
        panel.set_xticks(place, names, rotation=55, ha="right", fontsize=6.5)
        top = 1.1 * max(10.0, float(pairs[["measured", "simulated"]].max().max()))
        panel.set(ylabel=f"{level} sector hit rate, %", ylim=(0, min(top, 105)), xlim=(-0.7, len(table) - 0.3))
        panel.grid(axis="x", visible=False)
    if panel.get_legend_handles_labels()[1]:
        figure.legend(*panel.get_legend_handles_labels(), loc="outside upper right", fontsize=8, ncols=2)
    return figure


if __name__ == "__main__":
    style.main(draw, "measured, simulated")
