"""Two parameters at once: where relieving one bottleneck makes the other worth relieving."""

import seaborn as sns
from matplotlib.figure import Figure

from analysis import style
from analysis.data import Data
from analysis.sensitivity import planes


def draw(data: Data) -> Figure:
    panels = [
        (axes, workload, launch, part)
        for axes, plane in planes(data).items()
        for (workload, launch), part in plane.groupby(["workload", "launch"])
    ]
    columns = min(3, max(1, len(panels)))
    lines = max(1, -(-len(panels) // columns))
    figure, grid = style.panels(lines, columns, height=3.4, width=3.7 * columns)
    if not panels:
        style.empty(grid[0, 0], "no two-parameter sweep in this study")
    for panel in grid.flat[len(panels) :]:
        panel.set_axis_off()
    for panel, ((x, y), workload, _, part) in zip(grid.flat, panels, strict=False):
        table = part.pivot(index="y", columns="x", values="speedup").sort_index(ascending=False)
        sns.heatmap(
            table,
            ax=panel,
            annot=True,
            fmt=".2f",
            cmap="PuOr_r",
            center=1.0,
            vmin=0.5,
            vmax=2.0,
            cbar=False,
            linewidths=0.5,
            annot_kws={"fontsize": 8},
            square=True,
        )
        panel.set(xlabel=f"{x}, times the baseline", ylabel=f"{y}, times the baseline")
        panel.set_title(f"{part.name.iloc[0]} ({workload})", fontsize=9)
        panel.tick_params(labelsize=8)
    return figure


if __name__ == "__main__":
    style.main(draw, "simulated", explored=True)
