"""Speed-up of every kernel under every modification; what was not run is hatched, what was not shown is grey."""

import numpy as np
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from analysis import style
from analysis.data import Data

WIDEST = 0.5  # of the colour scale, about 1


def draw(data: Data) -> Figure:
    table = data.modified()
    table = table[(table.config != data.baseline) & ~table.config.str.contains("@")]
    if table.empty:
        figure, axes = style.panels(1, 1)
        style.empty(axes[0, 0], "no modification in this study")
        return figure
    table["kernel"] = table.workload.str.replace("mamba", "m") + "  " + table.launch.str[:2] + " " + table.name
    order = list(table.sort_values(["workload", "order"]).kernel.drop_duplicates())
    whole = data.block()
    whole = whole[whole.config.isin(table.config)]
    whole["kernel"] = whole.workload.str.replace("mamba", "m") + "  whole block"
    both = {name: {**_cells(table, name), **_cells(whole, name)} for name in ("speedup", "low", "high")}
    rows = [*order, *whole.kernel.drop_duplicates()]
    columns = list(table.groupby("config").speedup.mean().sort_values(ascending=False).index)
    grid, low, high = (
        np.array([[both[n].get((r, c), np.nan) for c in columns] for r in rows]) for n in ("speedup", "low", "high")
    )
    unclear = ~np.isnan(grid) & ~np.isnan(low) & ~((low > 1) | (high < 1))
    figure, axes = style.panels(1, 1, height=0.25 * len(rows) + 2.2, width=11.5)
    panel = axes[0, 0]
    panel.set_facecolor("white")
    panel.patch.set(hatch="////", edgecolor="0.6")
    reach = min(WIDEST, max(0.1, float(np.nanmax(np.abs(grid - 1)))))
    sns.heatmap(
        grid, ax=panel, mask=np.isnan(grid), cmap="PuOr_r", center=1, vmin=1 - reach, vmax=1 + reach, linewidths=0.4,
        annot=np.where(unclear, "·", np.char.mod("%.2f", grid)), fmt="", annot_kws={"fontsize": 6.5},
        xticklabels=columns, yticklabels=rows, cbar_kws={"label": "speed-up", "shrink": 0.6},
    )  # fmt: skip
    panel.grid(visible=False)
    panel.set(xlabel="", ylabel="", title=f"speed-up over {data.baseline}, {data.explored_cache} caches")
    panel.tick_params(axis="x", labelrotation=55, labelsize=8)
    for label in panel.get_xticklabels():
        label.set_ha("right")
    panel.tick_params(axis="y", labelsize=7.5, labelrotation=0)
    hatched = Patch(facecolor="white", edgecolor="0.6", hatch="////", label="not run      (·: no effect shown)")
    panel.legend(handles=[hatched], loc="lower left", bbox_to_anchor=(0, 1.0), fontsize=7, frameon=False)
    return figure


def _cells(table, name: str) -> dict[tuple[str, str], float]:
    return dict(zip(zip(table.kernel, table.config, strict=True), table[name], strict=True))


if __name__ == "__main__":
    style.main(draw, "simulated", explored=True)
