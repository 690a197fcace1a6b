"""Simulated against measured DRAM traffic."""

import pandas as pd
from matplotlib.figure import Figure

from analysis import style
from analysis.data import READ, WRITE, Data, correlation, mean_absolute_error

SMALL = 1e6  # bytes; below, the traffic is a few cache lines and a relative error says nothing


def draw(data: Data) -> Figure:
    figure, axes = style.panels(1, 2, height=4.4)
    for panel, (metric, what) in zip(axes[0], ((READ, "read"), (WRITE, "written")), strict=True):
        pairs: pd.DataFrame = data.pairs(metric)
        pairs = pairs[(pairs.measured > SMALL) & (pairs.simulated > 0)]
        if pairs.empty:
            style.empty(panel, f"no launch with DRAM bytes {what} both measured and simulated")
            continue
        style.equal_line(panel, pairs[["measured", "simulated"]].to_numpy(), band=0.10)
        for (workload, cache), points in pairs.groupby(["workload", "cache"]):
            panel.scatter(
                points.measured,
                points.simulated,
                marker=style.marker(workload),
                s=34,
                edgecolor="black",
                facecolor=style.SIMULATED if cache == "cold" else "white",
                label=f"{workload}, {cache}",
            )
        panel.set(xlabel=f"measured bytes {what}", ylabel=f"simulated bytes {what}")
        style.log_log(panel)
        far = pairs[pairs.error.abs() > 0.10]
        style.label_points(panel, far.measured, far.simulated, far.name)
        r = f", r {correlation(pairs):.3f}" if len(pairs) > 2 else ""
        panel.set_title(f"{what}: mean error {mean_absolute_error(pairs):.1%}{r}")
        panel.legend(loc="upper left", fontsize=7)
    return figure


if __name__ == "__main__":
    style.main(draw, "measured, simulated")
