"""Sensitivity of each kernel to each parameter: half and twice the baseline's value."""

from matplotlib.figure import Figure

from analysis import style
from analysis.data import Data
from analysis.sensitivity import one_at_a_time

KERNELS, LOW, HIGH = 9, 0.5, 2.0


def draw(data: Data) -> Figure:
    table = one_at_a_time(data)
    table = table[table.factor.isin([LOW, HIGH])]
    if table.empty:
        figure, axes = style.panels(1, 1)
        style.empty(axes[0, 0], "no one-parameter sweep with factors 0.5 and 2 in this study")
        return figure
    heavy = (
        table.groupby(["workload", "launch", "name", "order"]).base.first().sort_values(ascending=False).head(KERNELS)
    )
    columns = min(3, len(heavy))
    lines = -(-len(heavy) // columns)
    figure, axes = style.panels(lines, columns, height=0.23 * table.axis.nunique() + 0.9, width=11)
    for panel in axes.flat[len(heavy) :]:
        panel.set_axis_off()
    limit = min(100, max(10.0, 100 * (table.cycles / table.base - 1).abs().max() * 1.05))
    for panel, ((workload, launch, name, _), base) in zip(axes.flat, heavy.items(), strict=False):
        part = table[(table.workload == workload) & (table.launch == launch)]
        change = 100 * (
            part.assign(change=part.cycles / part.base - 1).pivot(index="axis", columns="factor", values="change")
        )
        change = change.reindex(columns=[LOW, HIGH])
        change = change.loc[change.abs().max(axis=1).sort_values().index]
        panel.barh(change.index, change[LOW], color=style.PAPER, edgecolor="black", lw=0.5, height=0.7, label="half")
        panel.barh(
            change.index, change[HIGH], color=style.MEASURED, edgecolor="black", lw=0.5, height=0.4, label="twice"
        )
        panel.axvline(0, color="black", lw=0.8)
        panel.set_title(f"{name}\n{workload}, {base / 1e3:,.0f} thousand cycles", fontsize=8.5)
        panel.set(xlim=(-limit, limit))
        panel.tick_params(axis="both", labelsize=7)
        panel.grid(axis="y", visible=False)
    for panel in axes[-1]:
        panel.set_xlabel("change in cycles, %", fontsize=8)
    axes[0, 0].legend(fontsize=7, loc="lower left")
    return figure


if __name__ == "__main__":
    style.main(draw, "simulated", explored=True)
