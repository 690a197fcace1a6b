"""One look for all figures: legible in grey, the level of every claim printed on it.

A figure is a script `figures/NAME.py` with `draw(data) -> Figure`, ended by `main(draw, claim)`, and a caption
`figures/NAME.rst`; the study finds it by listing the folder.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter

from analysis.data import Data, read
from ssmsim.files import whole_file

# Dark, light and middle: told apart without colour. Measured is always the dark one.
MEASURED, SIMULATED, PAPER, ESTIMATED = "#1b1b1b", "#e07b39", "#9fb8d0", "#6a8d73"
SHADES = ["#1b1b1b", "#e07b39", "#9fb8d0", "#6a8d73", "#d9d9d9", "#7a4b8f", "#f2d06b", "#4f6d8f", "#b7656b"]
HATCHES = ["", "///", "...", "\\\\\\", "xxx", "", "++", "oo", "--"]
MARKERS = {"mamba2-2.7b": "o", "mamba2-8b": "s", "mamba1-2.8b": "^"}
WIDTH = 9.0  # inches


def theme() -> None:
    sns.set_theme(style="whitegrid", context="paper", font_scale=1.05)
    plt.rcParams |= {
        "figure.dpi": 100,
        "savefig.dpi": 170,
        "axes.titlesize": "medium",
        "hatch.linewidth": 0.6,
        "legend.frameon": True,
        "legend.framealpha": 0.9,
        "figure.constrained_layout.use": True,
    }


def marker(workload: str) -> str:
    return MARKERS.get(workload, "D")


def panels(rows: int = 1, columns: int = 1, height: float = 4.0, width: float = WIDTH) -> tuple[Figure, np.ndarray]:
    """A figure and its axes as an array [rows, columns]."""
    figure, axes = plt.subplots(rows, columns, figsize=(width, height * rows), squeeze=False)
    return figure, axes


def empty(axes: Axes, why: str) -> None:
    """Say in an empty panel why it is empty."""
    axes.text(0.5, 0.5, why, ha="center", va="center", wrap=True, transform=axes.transAxes)
    axes.set_axis_off()


def equal_line(axes: Axes, values: Sequence[float] | pd.Series | np.ndarray, band: float = 0.0) -> None:
    """The line where simulated equals measured, with a grey band of relative width `band` around it."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    line = np.array([low * 0.8, high * 1.25]) if low > 0 else np.array([low, high])
    axes.plot(line, line, color="black", lw=0.8, zorder=1)
    if band:
        axes.fill_between(
            line, line * (1 - band), line * (1 + band), color="0.85", zorder=0, lw=0, label=f"within {band:.0%}"
        )


def log_log(axes: Axes) -> None:
    """Both axes logarithmic, labelled at 1, 2 and 5 of each decade, in words short enough not to meet."""
    axes.set(xscale="log", yscale="log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(10, subs=(1, 2, 5) if _decades(axis) < 2.5 else (1,)))
        axis.set_major_formatter(EngFormatter(sep=""))
        axis.set_minor_formatter(NullFormatter())


def _decades(axis: Axis) -> float:
    low, high = axis.get_data_interval()
    return float(np.log10(high / low)) if low > 0 else 3.0


def label_points(axes: Axes, x: pd.Series, y: pd.Series, names: pd.Series) -> None:
    """Name points; a name that would lie on another moves up, near the right edge it stands on the left of its point.

    Call once, after the axes have their scales and limits.
    """
    high, wide = 9.5, 5.0  # pixels of a line and of a character at 6.5 points
    taken: list[tuple[float, float, float]] = []  # left, right, bottom
    edge = axes.transAxes.transform((0.75, 0))[0]
    for a, b, name in sorted(zip(x, y, names, strict=True), key=lambda point: point[1]):
        across, height = (float(v) for v in axes.transData.transform((a, b)))
        turned = across > edge
        left = across - 6 - wide * len(name) if turned else across + 6
        right, bottom = left + wide * len(name), height
        for other_left, other_right, other in sorted(taken, key=lambda place: place[2]):
            if left < other_right and other_left < right and abs(other - bottom) < high:
                bottom = other + high
        taken.append((left, right, bottom))
        place = (-6 if turned else 6, 2 + (bottom - height) * 72 / axes.figure.dpi)
        axes.annotate(name, (a, b), textcoords="offset points", xytext=place, fontsize=6.5,
                      ha="right" if turned else "left")  # fmt: skip


def points_with_errors(
    axes: Axes,
    x: pd.Series,
    y: Sequence[float] | pd.Series | np.ndarray,
    error: np.ndarray,
    full: pd.Series,
    label: str = "",
) -> None:
    """Points with horizontal error bars, float[2, points]; full False: hollow, an effect that is not shown."""
    colour = SHADES[len(axes.containers) % len(SHADES)]
    axes.errorbar(x, y, xerr=np.nan_to_num(error), fmt="none", ecolor=colour, elinewidth=1, capsize=2)
    faces = [colour if filled else "white" for filled in full]
    axes.scatter(x, y, s=22, c=faces, edgecolors=colour, linewidths=0.9, zorder=3)
    axes.scatter([], [], s=22, c=colour, edgecolors=colour, label=label or None)


def claim_text(data: Data, claim: str, explored: bool = False) -> str:
    """What each level in `claim` means in this study. explored: for modifications, not for the baseline."""
    rows = data.explored if explored and len(data.explored) else data.simulated()
    parts, whole = rows[rows.part_sms > 0], rows[rows.part_sms == 0]
    how = []
    if len(whole):
        timed = whole.sampled_fraction.fillna(1)
        how.append("whole GPU" + ("" if (timed == 1).all() else f", median {timed.median():.0%} of the blocks timed"))
    if len(parts):
        how.append(f"estimated from {data.part_text(parts)}")
    meaning = {
        "measured": "measured: Nsight Compute on the GPU",
        "simulated": f"simulated: {data.engine} engine, {' or '.join(how)}",
        "estimated": "estimated: computed from counters",
        "paper": "paper: as published, H100",
    }
    return "   |   ".join(meaning[level.strip()] for level in claim.split(","))


def main(draw: Callable[[Data], Figure], claim: str, explored: bool = False) -> None:
    """Command line of a figure script: FOLDER OUTPUT.png, beside which OUTPUT.svg is written.

    claim: measured, simulated, estimated, paper.
    """
    folder, output = sys.argv[1:]
    theme()
    data = read(folder)
    figure = draw(data)
    figure.supxlabel(claim_text(data, claim, explored), fontsize=7.5, color="0.25", x=0.99, ha="right")
    for file in (Path(output), Path(output).with_suffix(".svg")):
        with whole_file(file) as temporary:
            figure.savefig(temporary, format=file.suffix[1:])
