"""Why warps wait: the model's stall reasons beside Nsight Compute's."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis import style
from analysis.data import CYCLES, Data, stalls

SHOWN, KERNELS = 7, 14


def draw(data: Data) -> Figure:
    measured, simulated = data.measured("cold"), data.simulated(cache="cold")
    both = measured.merge(simulated[["workload", "launch"]], on=["workload", "launch"])
    both = both.sort_values(CYCLES, ascending=False).head(KERNELS).sort_values(["workload", "order"])
    shares = []
    for _, row in both.iterrows():
        other = simulated[(simulated.workload == row.workload) & (simulated.launch == row.launch)].iloc[0]
        for level, source in (("measured", row), ("simulated", other)):
            shares.append(stalls(source).rename((f"{row.workload} {row['name']}", level)))
    figure, axes = style.panels(1, 1, height=5.6, width=11)
    panel = axes[0, 0]
    table = pd.DataFrame(shares).fillna(0)
    if table.empty or not table.to_numpy().any():
        style.empty(panel, "no kernel with stall reasons both measured and simulated")
        return figure
    top = table.mean().sort_values(ascending=False).index[:SHOWN]
    table = table[top].assign(other=table.drop(columns=top).sum(axis=1))
    kernels = list(dict.fromkeys(name for name, _ in table.index))
    for level, shift in (("measured", -0.2), ("simulated", 0.2)):
        bottom = np.zeros(len(kernels))
        for reason, shade, hatch in zip(table.columns, style.SHADES, style.HATCHES, strict=False):
            height = np.array([table.loc[[(k, level)], reason].iloc[0] for k in kernels])
            panel.bar(
                np.arange(len(kernels)) + shift,
                height,
                0.37,
                bottom=bottom,
                color=shade,
                hatch=hatch,
                edgecolor="white" if shade == style.SHADES[0] else "black",
                lw=0.4,
                label=reason if level == "measured" else None,
            )
            bottom += height
    panel.set_xticks(np.arange(len(kernels)), kernels, rotation=50, ha="right", fontsize=7)
    panel.set(ylabel="share of warp time", ylim=(0, 1), title="left bar measured, right bar simulated; cold caches")
    panel.grid(axis="x", visible=False)
    panel.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), title="warp state", fontsize=8)
    return figure


if __name__ == "__main__":
    style.main(draw, "measured, simulated")
