"""Speed-up of every kernel under every modification."""

import seaborn as sns
from matplotlib.figure import Figure

from analysis import style
from analysis.data import Data


def draw(data: Data) -> Figure:
    table = data.modified()
    table = table[(table.config != data.baseline) & ~table.config.str.contains("@")]
    if table.empty:
        figure, axes = style.panels(1, 1)
        style.empty(axes[0, 0], "no modification in this study")
        return figure
    kernels = table.drop_duplicates(["workload", "launch"]).sort_values(["workload", "order"])
    keys = table.workload.str.replace("mamba", "m") + "  " + table.launch.str[:2] + " " + table.name
    order = kernels.workload.str.replace("mamba", "m") + "  " + kernels.launch.str[:2] + " " + kernels.name
    grid = table.assign(kernel=keys).pivot(index="kernel", columns="config", values="speedup").loc[order]
    whole = data.block()
    for workload, part in whole.groupby("workload"):
        if workload in set(table.workload):
            grid.loc[f"{workload.replace('mamba', 'm')}  whole block"] = part.set_index("config").speedup.reindex(
                grid.columns
            )
    grid = grid[
        grid.loc[grid.index.str.contains("whole")].mean().fillna(grid.mean()).sort_values(ascending=False).index
    ]
    figure, axes = style.panels(1, 1, height=0.25 * len(grid) + 2.0, width=11.5)
    sns.heatmap(
        grid,
        ax=axes[0, 0],
        cmap="Greys",
        vmin=0.9,
        vmax=min(2.0, max(1.1, float(grid.max().max()))),
        annot=True,
        fmt=".2f",
        annot_kws={"fontsize": 6.5},
        linewidths=0.4,
        cbar_kws={"label": "speed-up", "shrink": 0.6},
    )
    panel = axes[0, 0]
    panel.grid(visible=False)
    panel.set(xlabel="", ylabel="", title=f"speed-up over {data.baseline}, {data.explored_cache} caches")
    panel.tick_params(axis="x", labelrotation=55, labelsize=8)
    for label in panel.get_xticklabels():
        label.set_ha("right")
    panel.tick_params(axis="y", labelsize=7.5)
    return figure


if __name__ == "__main__":
    style.main(draw, "simulated", explored=True)
