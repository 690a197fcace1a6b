"""Error of simulated cycles against the size of the kernel; small beside it, simulated against measured cycles."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, NullFormatter

from analysis import style
from analysis.data import CYCLES, LONG_US, Data, correlation, mean_absolute_error

FAR, WIDEST = 0.06, 0.25  # kernels named; error that the axis shows


def draw(data: Data) -> Figure:
    pairs = data.pairs(CYCLES)
    caches = [cache for cache in ("cold", "warm") if (pairs.cache == cache).any()]
    figure, axes = style.panels(1, max(1, len(caches)), height=4.4, width=11.0)
    if not caches:
        style.empty(axes[0, 0], "no launch both measured and simulated")
    for panel, cache in zip(axes[0], caches, strict=False):
        part = pairs[pairs.cache == cache]
        _errors_by_size(panel, part)
        panel.set_title("\n".join([f"{cache} caches", *_errors(part)]), fontsize=9)
        _against(panel.inset_axes((0.74, 0.73, 0.25, 0.25)), part)
    return figure


def _errors_by_size(panel: Axes, part: pd.DataFrame) -> None:
    for (workload, estimated), points in part.groupby(["workload", part.part_sms > 0]):
        panel.scatter(
            points.us, 100 * points.error.clip(-WIDEST, WIDEST), marker=style.marker(workload),
            s=[42 if us >= LONG_US else 15 for us in points.us], lw=0.9, edgecolor="black",
            facecolor="white" if estimated else style.SIMULATED,
            label=f"{workload}{', part of the GPU' if estimated else ''}",
        )  # fmt: skip
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter(EngFormatter(sep=""))
    panel.xaxis.set_minor_formatter(NullFormatter())
    reach = 100 * min(WIDEST, max(0.1, float(part.error.abs().max()) + 0.02))
    panel.axhspan(-5, 5, color="0.92", zorder=0)
    panel.axhline(0, color="black", lw=0.8)
    panel.axvline(LONG_US, color="0.5", lw=0.8, ls=":")
    panel.set(
        xlabel="measured time, µs", ylabel="simulated over measured cycles, less one, %", ylim=(-reach, 1.8 * reach)
    )
    far = part[part.error.abs() > FAR]
    style.label_points(panel, far.us, 100 * far.error.clip(-WIDEST, WIDEST), far.name)
    panel.legend(loc="upper left", fontsize=7, markerscale=0.9)


def _against(panel: Axes, part: pd.DataFrame) -> None:
    """Three decades on both axes: everything lies on the line, so it is small."""
    style.equal_line(panel, part[["measured", "simulated"]].to_numpy())
    panel.scatter(part.measured, part.simulated, s=3, color="black", zorder=2)
    panel.set(xscale="log", yscale="log")
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_formatter(EngFormatter(sep=""))
        axis.set_minor_formatter(NullFormatter())
    panel.tick_params(labelsize=6)
    panel.set_title("simulated against measured cycles", fontsize=6)


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
