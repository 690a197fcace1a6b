"""`python -m analysis.silicon OUT.png`: changes that a GPU made, measured against simulated, from analysis/silicon.csv.

A change is a factor of cycles: the launch with the change over the launch without. Left, simulated against measured; right,
the error of the factor against its size.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import style
from ssmsim.files import whole_file

FILE = Path("analysis/silicon.csv")
NAMES = {
    "blocks_per_sm": "fewer blocks per SM",
    "sms": "fewer SMs",
    "idle": "fewer SMs, some GPCs idle",
    "off": "instructions off",
    "maxnreg": "fewer registers",
}
TICKS = [0.5, 1, 2, 5]
MARKERS = dict(zip(NAMES, "osv^D", strict=True))


def factors(table: pd.DataFrame) -> pd.DataFrame:
    """launch, change, value, measured and simulated factor of cycles, spread of the measurement."""
    table = table[table.measured_cycles.notna() & table.simulated_cycles.notna()]
    found = []
    for (gpu, launch), lines in table.groupby(["gpu", "launch"], sort=False):
        base = lines[lines.change == "none"]
        limited = lines[(lines.change == "maxnreg") & (lines.value == "255")]
        for line in lines.itertuples():
            beside = limited if line.change == "maxnreg" else base
            if beside.empty or line.Index in beside.index:
                continue
            measured, simulated = (
                float(getattr(line, name)) / float(beside[name].iloc[0])
                for name in ("measured_cycles", "simulated_cycles")
            )
            spread = float(np.hypot(line.spread, beside.spread.iloc[0]))
            kind = "idle" if "0" in str(line.place).split() else line.change
            found.append((gpu, launch, kind, line.value, measured, simulated, spread))
    columns = ["gpu", "launch", "change", "value", "measured", "simulated", "spread"]
    return pd.DataFrame(found, columns=columns)


def _against(axes: Axes, changes: pd.DataFrame) -> None:
    style.equal_line(axes, changes.measured, 0.05)
    for (kind, name), shade in zip(NAMES.items(), style.SHADES, strict=False):
        part = changes[changes.change == kind]
        axes.scatter(
            part.measured, part.simulated, s=24, marker=MARKERS[kind], color=shade, edgecolors="black", linewidths=0.5,
            label=f"{name} ({len(part)})", zorder=3,
        )  # fmt: skip
    axes.set(xlabel="times the cycles, measured", ylabel="times the cycles, simulated", yscale="log")
    axes.set_yticks(TICKS, TICKS)
    _factors_across(axes)
    axes.legend(loc="lower right", fontsize="small")


def _errors(axes: Axes, changes: pd.DataFrame) -> None:
    error = 100 * (changes.simulated / changes.measured - 1)
    axes.axhspan(-5, 5, color="0.9", zorder=0)
    axes.axhline(0, color="black", lw=0.8)
    for (kind, _), shade in zip(NAMES.items(), style.SHADES, strict=False):
        part = changes.change == kind
        axes.errorbar(
            changes.measured[part], error[part], yerr=100 * changes.spread[part], fmt=MARKERS[kind], color=shade,
            markeredgecolor="black", markeredgewidth=0.5, markersize=4.5, elinewidth=0.8, zorder=3,
        )  # fmt: skip
    axes.set(xlabel="times the cycles, measured", ylabel="error of the change, %")
    _factors_across(axes)


def _factors_across(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.set_xticks(TICKS, TICKS)
    axes.minorticks_off()


def draw(changes: pd.DataFrame) -> Figure:
    figure, axes = style.panels(1, 2)
    _against(axes[0, 0], changes)
    _errors(axes[0, 1], changes)
    return figure


def main() -> None:
    style.theme()
    figure = draw(factors(pd.read_csv(FILE)))
    with whole_file(Path(sys.argv[1])) as temporary:
        figure.savefig(temporary, format="png")


if __name__ == "__main__":
    main()
