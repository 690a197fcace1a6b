"""Error in cycles of every kernel, sorted."""

from matplotlib.figure import Figure

from analysis import style
from analysis.data import CYCLES, LONG_US, Data


def draw(data: Data) -> Figure:
    pairs = data.pairs(CYCLES)
    pairs = pairs[pairs.role == "ssm"]
    most = int(pairs.groupby("cache").size().max()) if len(pairs) else 1
    figure, axes = style.panels(1, 2, height=max(3.0, 0.135 * most + 1.0))
    for panel, cache in zip(axes[0], ("cold", "warm"), strict=True):
        part = pairs[pairs.cache == cache].sort_values("error", ascending=False)
        if part.empty:
            style.empty(panel, f"no launch both measured and simulated with {cache} caches")
            continue
        names = part.workload + "  " + part.launch.str[:2] + " " + part.name
        shades = [style.SIMULATED if us >= LONG_US else "white" for us in part.us]
        panel.barh(names, 100 * part.error, color=shades, edgecolor="black", lw=0.6, height=0.75)
        panel.axvline(0, color="black", lw=0.8)
        panel.axvspan(-12, 12, color="0.9", zorder=0)
        panel.tick_params(axis="y", labelsize=6)
        panel.set(xlabel="error in cycles, %", ylim=(-0.7, most - 0.3))
        panel.set_title(f"{cache} caches (right: simulated too slow)", fontsize=9)
        panel.grid(axis="y", visible=False)
    return figure


if __name__ == "__main__":
    style.main(draw, "measured, simulated")
