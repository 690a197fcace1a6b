"""Roofline of the SSM kernels of Mamba-2 and Mamba-1, measured and simulated."""

import numpy as np
from matplotlib.figure import Figure

from analysis import style
from analysis.data import CYCLES, READ, WRITE, Data


def draw(data: Data) -> Figure:
    figure, axes = style.panels(1, 1, height=5.2)
    panel = axes[0, 0]
    clock = data.value("gpu.sm_clock_mhz") * 1e6
    bandwidth = data.value("dram.peak_gb_per_s") * 1e9
    subcores = data.value("gpu.sms") * data.value("sm.subcores")
    tensor = subcores * data.value("tensor.flops_per_cycle_per_subcore") * clock
    vector = subcores * data.value("sm.fp32_lanes_per_subcore") * 2 * clock
    intensity = np.geomspace(0.05, 2000, 200)
    panel.plot(intensity, np.minimum(intensity * bandwidth, tensor) / 1e12, color="black", lw=1.4)
    panel.plot(intensity, np.minimum(intensity * bandwidth, vector) / 1e12, color="black", lw=1.0, ls="--")
    panel.text(1900, tensor / 1e12 * 1.1, f"tensor {tensor / 1e12:.0f} TFLOP/s", ha="right", fontsize=8)
    panel.text(1900, vector / 1e12 * 1.1, f"fp32 vector {vector / 1e12:.0f} TFLOP/s", ha="right", fontsize=8)
    panel.text(0.06, 0.08 * bandwidth / 1e12, f"DRAM {bandwidth / 1e12:.1f} TB/s", rotation=38, fontsize=8)
    panel.set(xscale="log", yscale="log", xlim=(0.05, 2000), ylim=(0.05, 2000))
    measured = data.measured("cold")
    flop = measured.assign(flop=measured.tensor_flop + measured.vector_flop)
    levels = (("measured", measured, True), ("simulated", data.simulated(cache="cold"), False))
    for level, rows, filled in levels:
        rows = rows.merge(flop[["workload", "launch", "flop"]], on=["workload", "launch"])
        rows = rows[
            (rows.direction == "forward") & (rows.role == "ssm") & (rows.flop > 0) & (rows[READ] + rows[WRITE] > 0)
        ]
        for workload, points in rows.groupby("workload"):
            x = points.flop / (points[READ] + points[WRITE])
            y = points.flop / (points[CYCLES] / clock) / 1e12
            panel.scatter(
                x,
                y,
                marker=style.marker(workload),
                s=46 if filled else 60,
                lw=1.1,
                facecolor=style.MEASURED if filled else "none",
                edgecolor=style.MEASURED if filled else style.SIMULATED,
                label=f"{workload}, {level}",
            )
            if filled:
                style.label_points(panel, x, y, points.name)
    panel.set(xlabel="arithmetic intensity, FLOP per DRAM byte", ylabel="TFLOP/s")
    panel.set_title("Forward kernels, cold caches; FLOP of simulated points are the measured ones")
    if panel.get_legend_handles_labels()[1]:
        panel.legend(loc="lower right", fontsize=7.5)
    return figure


if __name__ == "__main__":
    style.main(draw, "measured, simulated")
