"""What each modification is worth to the whole SSM block, forward and backward."""

import numpy as np
from matplotlib.figure import Figure

from analysis import style
from analysis.data import Data


def draw(data: Data) -> Figure:
    whole = data.block()
    whole = whole[(whole.config != data.baseline) & ~whole.config.str.contains("@")]
    figure, axes = style.panels(1, 1, height=5.0)
    panel = axes[0, 0]
    if whole.empty:
        style.empty(panel, "no modification ran for a whole block")
        return figure
    table = whole.pivot(index="config", columns="workload", values="speedup")
    table = table.loc[table.mean(axis=1).sort_values().index]
    place = np.arange(len(table))
    height = 0.8 / len(table.columns)
    for i, (workload, shade, hatch) in enumerate(zip(table.columns, style.SHADES, style.HATCHES, strict=False)):
        panel.barh(
            place + (i - (len(table.columns) - 1) / 2) * height,
            100 * (table[workload] - 1),
            height,
            color=shade,
            edgecolor="white" if i == 0 else "black",
            hatch=hatch,
            lw=0.5,
            label=workload,
        )
    panel.set_yticks(place, table.index, fontsize=8)
    panel.axvline(0, color="black", lw=0.8)
    panel.grid(axis="y", visible=False)
    panel.set(
        xlabel="speed-up over the baseline, %", title="whole block, forward and backward, all launches in sequence"
    )
    panel.legend(loc="lower right", fontsize=8)
    return figure


if __name__ == "__main__":
    style.main(draw, "simulated", explored=True)
