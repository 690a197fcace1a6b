"""Simulated against measured cycles, every launch, cold and warm caches."""

from matplotlib.figure import Figure

from analysis import style
from analysis.data import CYCLES, LONG_US, Data, correlation, mean_absolute_error


def draw(data: Data) -> Figure:
    figure, axes = style.panels(1, 2, height=4.4)
    pairs = data.pairs(CYCLES)
    for panel, cache in zip(axes[0], ("cold", "warm"), strict=True):
        part = pairs[pairs.cache == cache]
        if part.empty:
            style.empty(panel, f"no launch both measured and simulated with {cache} caches")
            continue
        style.equal_line(panel, part[["measured", "simulated"]].to_numpy(), band=0.12)
        for workload, points in part.groupby("workload"):
            long = points.us >= LONG_US
            panel.scatter(
                points.measured,
                points.simulated,
                marker=style.marker(workload),
                s=34,
                edgecolor="black",
                facecolor=[style.SIMULATED if is_long else "white" for is_long in long],
                label=workload,
            )
        long = part[part.us >= LONG_US]
        panel.set(xscale="log", yscale="log", xlabel="measured cycles", ylabel="simulated cycles")
        far = part[part.error.abs() > 0.12]
        style.label_points(panel, far.measured, far.simulated, far.name)
        panel.set_title(
            f"{cache} caches, {len(long)} kernels of at least {LONG_US} µs:\n"
            f"mean error {mean_absolute_error(long):.1%}, r {correlation(long):.3f}"
        )
        panel.legend(loc="upper left", fontsize=7.5)
    return figure


if __name__ == "__main__":
    style.main(draw, "measured, simulated")
