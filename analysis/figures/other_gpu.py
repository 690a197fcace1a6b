"""What another GPU changes: measured and simulated ratio of cycles, a pair of marks per launch."""

import numpy as np
from matplotlib.figure import Figure

from analysis import style
from analysis.data import LONG_US, Data, mean_absolute_error


def draw(data: Data) -> Figure:
    table = data.both().other_gpus()
    table = table[(table.us >= LONG_US) & (table.cache == "cold") & (table.role == "ssm")]
    if table.empty:
        figure, axes = style.panels(1, 1, height=2.0)
        style.empty(axes[0, 0], "no launch that ran on two GPUs")
        return figure
    others = list(dict.fromkeys(table.other))
    figure, axes = style.panels(1, len(others), height=0.8 + 0.19 * len(table) / len(others))
    for panel, other in zip(axes[0], others, strict=True):
        part = table[table.other == other].sort_values("measured", ignore_index=True)
        at = np.arange(len(part))
        panel.hlines(at, part.measured, part.simulated, color=style.PAPER, lw=2)
        panel.scatter(part.measured, at, color=style.MEASURED, s=26, label="measured", zorder=3)
        panel.scatter(part.simulated, at, color=style.SIMULATED, s=26, marker="D", label="simulated", zorder=3)
        panel.set_yticks(at, part.workload.str.removesuffix("-holdout") + " " + part.name, fontsize=6.5)
        panel.set_xlabel(f"cycles on {data.baseline} / cycles on {other}")
        panel.set_title(
            f"{len(part)} kernels of at least {LONG_US} µs, mean error of the ratio {mean_absolute_error(part):.1%}",
            fontsize=9,
        )
        panel.legend(loc="lower right", fontsize=8)
    return figure


if __name__ == "__main__":
    style.main(draw, "measured, simulated")
