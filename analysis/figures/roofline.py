"""Roofline of the SSM kernels of Mamba-2 and Mamba-1, measured and simulated."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis import style
from analysis.data import READ, TIME, WRITE, Data


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
    panel.text(0.12, 0.19 * bandwidth / 1e12, f"DRAM {bandwidth / 1e12:.1f} TB/s", rotation=30, fontsize=8)
    panel.set(xscale="log", yscale="log", xlim=(0.1, 2000), ylim=(0.3, 2500))
    measured = data.measured("cold")
    flop = measured.assign(flop=measured.tensor_flop + measured.vector_flop)
    levels = (("measured", measured, True), ("simulated", data.simulated(cache="cold"), False))
    named = []
    for level, rows, filled in levels:
        rows = rows.merge(flop[["workload", "launch", "flop"]], on=["workload", "launch"])
        rows = rows[
            (rows.direction == "forward") & (rows.role == "ssm") & (rows.flop > 0) & (rows[READ] + rows[WRITE] > 0)
        ]
        for workload, points in rows.groupby("workload"):
            x = points.flop / (points[READ] + points[WRITE])
            y = points.flop / points[TIME] / 1e3  # per ns to T per s
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
                named.append(pd.DataFrame({"x": x, "y": y, "name": points.name}))
    if named:
        labels = pd.concat(named)
        style.label_points(panel, labels.x, labels.y, labels.name)
    panel.set(xlabel="arithmetic intensity, FLOP per DRAM byte", ylabel="TFLOP/s")
    panel.set_title("Forward kernels, cold caches; FLOP of simulated points are the measured ones")
    if panel.get_legend_handles_labels()[1]:
        panel.legend(loc="lower right", fontsize=7.5)
    return figure


if __name__ == "__main__":
    style.main(draw, "measured, simulated")
