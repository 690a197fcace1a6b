"""Simulated against measured cycles, every launch, cold and warm caches."""

import pandas as pd
from matplotlib.figure import Figure

from analysis import style
from analysis.data import CYCLES, LONG_US, Data, correlation, mean_absolute_error


def draw(data: Data) -> Figure:
    pairs = data.pairs(CYCLES)
    caches = [cache for cache in ("cold", "warm") if (pairs.cache == cache).any()]
    figure, axes = style.panels(1, max(1, len(caches)), height=4.6)
    if not caches:
        style.empty(axes[0, 0], "no launch both measured and simulated")
    for panel, cache in zip(axes[0], caches, strict=False):
        part = pairs[pairs.cache == cache]
        style.equal_line(panel, part[["measured", "simulated"]].to_numpy(), band=0.12)
        for (workload, estimated), points in part.groupby(["workload", part.part_sms > 0]):
            panel.scatter(
                points.measured,
                points.simulated,
                marker=style.marker(workload),
                s=[42 if us >= LONG_US else 15 for us in points.us],
                lw=0.9,
                edgecolor="black",
                facecolor="white" if estimated else style.SIMULATED,
                label=f"{workload}, {'part of the GPU' if estimated else 'whole GPU'}",
            )
        panel.set(xlabel="measured cycles", ylabel="simulated cycles")
        style.log_log(panel)
        far = part[part.error.abs() > 0.12]
        style.label_points(panel, far.measured, far.simulated, far.name)
        panel.set_title("\n".join([f"{cache} caches", *_errors(part)]), fontsize=9)
        panel.legend(loc="upper left", fontsize=7, markerscale=0.9)
    return figure


def _errors(part: pd.DataFrame) -> list[str]:
    lines = []
    for estimated, name in ((False, "whole GPU"), (True, "part of the GPU")):
        long = part[(part.us >= LONG_US) & ((part.part_sms > 0) == estimated)]
        if len(long):
            r = f", r {correlation(long):.3f}" if len(long) > 2 else ""
            lines.append(
                f"{name}: {len(long)} kernels of at least {LONG_US} µs, mean error {mean_absolute_error(long):.1%}{r}"
            )
    return lines


if __name__ == "__main__":
    style.main(draw, "measured, simulated")
