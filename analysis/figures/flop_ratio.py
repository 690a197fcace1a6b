"""Tensor to vector FLOP ratio of the kernels that use both, against the hardware's."""

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

from analysis import style
from analysis.classes import kernel_class
from analysis.data import Data


def draw(data: Data) -> Figure:
    rows = data.measured("cold")
    rows = rows.assign(kind=rows.apply(kernel_class, axis=1)) if len(rows) else rows.assign(kind=[])
    rows = rows[(rows.kind == "mixed") & (rows.role == "ssm")].copy()
    rows["ratio"] = rows.tensor_flop / rows.vector_flop
    hardware = (
        data.value("tensor.flops_per_cycle_per_subcore") / 2 / data.value("sm.fp32_lanes_per_subcore")
    )  # a multiply-add counts 2 on both sides
    workloads = [name for name, _ in rows.groupby("workload")]
    figure, axes = style.panels(1, max(len(workloads), 1), height=4.2)
    if rows.empty:
        style.empty(axes[0, 0], "no measured kernel uses both tensor and vector units")
    for panel, workload in zip(axes[0], workloads, strict=False):
        part = rows[rows.workload == workload].sort_values("order", ascending=False)
        names = part.launch.str[:2] + " " + part.name
        shades = [style.MEASURED if d == "forward" else style.PAPER for d in part.direction]
        panel.barh(names, part.ratio, color=shades, edgecolor="black", lw=0.6)
        panel.axvline(hardware, color="black", ls="--", lw=1.2)
        panel.annotate(
            f"hardware: {hardware:.0f}",
            (hardware, len(part) - 0.4),
            xytext=(3, 0),
            fontsize=8,
            textcoords="offset points",
        )
        below = (part.ratio < hardware).sum()
        panel.set(xscale="log", xlabel="tensor FLOP per vector FLOP", ylim=(-0.6, len(part) + 0.1))
        panel.xaxis.set_major_locator(LogLocator(10, subs=(1, 2, 5)))
        panel.xaxis.set_major_formatter(ScalarFormatter())
        panel.xaxis.set_minor_formatter(NullFormatter())
        panel.grid(axis="y", visible=False)
        panel.set_title(
            f"{workload}: {below} of {len(part)} below the hardware\n(dark forward, light backward)", fontsize=9
        )
        panel.tick_params(axis="y", labelsize=7.5)
    return figure


if __name__ == "__main__":
    style.main(draw, "measured")
