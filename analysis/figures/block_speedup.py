"""What each modification is worth to the whole SSM block, forward and backward, with its 95 % interval."""

import numpy as np
from matplotlib.figure import Figure

from analysis import style
from analysis.data import Data
from analysis.intervals import shown


def draw(data: Data) -> Figure:
    whole = data.block()
    whole = whole[(whole.config != data.baseline) & ~whole.config.str.contains("@")]
    height = 0.26 * whole.config.nunique() * max(1, whole.workload.nunique()) + 1.4
    figure, axes = style.panels(1, 1, height=height if len(whole) else 3.0)
    panel = axes[0, 0]
    if whole.empty:
        style.empty(panel, "no modification ran for a whole block")
        return figure
    order = whole.groupby("config").speedup.mean().sort_values().index
    place = dict(zip(order, np.arange(len(order)), strict=True))
    workloads = sorted(whole.workload.unique())
    for i, workload in enumerate(workloads):
        part = whole[whole.workload == workload]
        at = part.config.map(place) + (i - (len(workloads) - 1) / 2) * 0.25
        percent = 100 * (part[["low", "speedup", "high"]] - 1)
        error = np.vstack([percent.speedup - percent.low, percent.high - percent.speedup])
        there = shown(part.low, part.high)
        style.points_with_errors(panel, percent.speedup, at, error, there, workload)
    panel.set_yticks(list(place.values()), list(place), fontsize=8)
    panel.axvline(0, color="black", lw=0.8)
    panel.grid(axis="y", visible=False)
    kernels = ", ".join(f"{w}: {whole[whole.workload == w].launches.iloc[0]:.0f} kernels" for w in workloads)
    panel.set(xlabel="speed-up over the baseline, %, and 95 % interval",
              title=f"whole block, forward and backward, one after another ({kernels})")  # fmt: skip
    panel.legend(loc="lower right", fontsize=8, title="hollow: no effect shown", title_fontsize=7)
    return figure


if __name__ == "__main__":
    style.main(draw, "simulated", explored=True)
