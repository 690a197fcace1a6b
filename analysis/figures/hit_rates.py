"""Simulated against measured L1 and L2 hit rates."""

from matplotlib.figure import Figure

from analysis import style
from analysis.data import L1_HIT, L2_HIT, Data


def draw(data: Data) -> Figure:
    figure, axes = style.panels(1, 2, height=4.4)
    for panel, (metric, level, band) in zip(axes[0], ((L1_HIT, "L1", 5), (L2_HIT, "L2", 5)), strict=True):
        pairs = data.pairs(metric)
        if pairs.empty:
            style.empty(panel, f"no {level} hit rate both measured and simulated")
            continue
        panel.plot([0, 100], [0, 100], color="black", lw=0.8)
        panel.fill_between(
            [0, 100], [-band, 100 - band], [band, 100 + band], color="0.85", lw=0, label=f"within {band} points"
        )
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
        difference = pairs.simulated - pairs.measured
        far = pairs[difference.abs() > band]
        panel.set(
            xlabel=f"measured {level} hit rate, %",
            ylabel=f"simulated {level} hit rate, %",
            xlim=(-3, 103),
            ylim=(-3, 103),
        )
        style.label_points(panel, far.measured, far.simulated, far.name)
        panel.set_title(
            f"{level}: mean difference {difference.abs().mean():.1f} points,\nlargest {difference.abs().max():.1f}"
        )
        panel.legend(loc="upper left", fontsize=7)
    return figure


if __name__ == "__main__":
    style.main(draw, "measured, simulated")
