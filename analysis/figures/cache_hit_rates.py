"""L1 and L2 hit rates of each kernel, measured beside simulated."""

import numpy as np
from matplotlib.figure import Figure

from analysis import style
from analysis.data import L1_HIT, L2_HIT, Data


def draw(data: Data) -> Figure:
    figure, axes = style.panels(2, 1, height=3.6, width=11)
    for panel, (metric, level) in zip(axes[:, 0], ((L1_HIT, "L1"), (L2_HIT, "L2")), strict=True):
        pairs = data.pairs(metric)
        pairs = pairs[(pairs.cache == "cold") & (pairs.role == "ssm")]
        if pairs.empty:
            style.empty(panel, f"no {level} hit rate both measured and simulated")
            continue
        place = np.arange(len(pairs))
        panel.bar(place - 0.2, pairs.measured, 0.4, color=style.MEASURED, label="measured")
        panel.bar(
            place + 0.2,
            pairs.simulated,
            0.4,
            color=style.SIMULATED,
            edgecolor="black",
            hatch="///",
            lw=0.5,
            label="simulated",
        )
        names = pairs.workload.str.replace("mamba", "m") + " " + pairs.name
        panel.set_xticks(place, names, rotation=55, ha="right", fontsize=6.5)
        panel.set(ylabel=f"{level} sector hit rate, %", ylim=(0, 105), xlim=(-0.7, len(pairs) - 0.3))
        panel.grid(axis="x", visible=False)
        panel.legend(loc="upper right", fontsize=8, ncols=2)
    return figure


if __name__ == "__main__":
    style.main(draw, "measured, simulated")
