"""Figures of a search: speed-up against area with the front, and how far both searches had come after each configuration."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from ssmsim.files import whole_file
from ssmsim.study.search.run import Found

LOOK = {"tpe": ("#1b1b1b", "o", "TPE (Optuna)"), "random": ("#e07b39", "s", "random search")}
ENDINGS = ("png", "pdf")


def draw_front(found: Found) -> Figure:
    """Every simulated configuration; ranges of area and speed-up on the verified ones, and what they reach whole."""
    figure = Figure(figsize=(7.5, 4.6), layout="constrained")
    axes = figure.subplots()
    for name, known in found.known.items():
        color, marker, label = LOOK[name]
        places = [found.place(point) for point in known.order]
        axes.scatter(
            [x for x, _ in places], [y for _, y in places], s=22, c=color, marker=marker, alpha=0.7, lw=0, label=label
        )
    line = [found.place(point) for point in found.front]
    axes.step(
        [x for x, _ in line], [y for _, y in line], where="post", color="0.45", lw=1, label="Pareto front, sampled"
    )
    for number, (point, speed) in enumerate(found.whole.items()):
        mm2, (low, value, high) = found.space.area(point), found.speedups[point]
        axes.errorbar(mm2.value, value, xerr=[[mm2.value - mm2.low], [mm2.high - mm2.value]],
                      yerr=[[max(value - low, 0)], [max(high - value, 0)]], color="#4f6d8f", lw=0.8, capsize=2, fmt="none",
                      label=None if number else "range of area; sampling interval")  # fmt: skip
        axes.scatter(
            [mm2.value], [speed], marker="*", s=110, c="#7a4b8f", zorder=3, label=None if number else "simulated whole"
        )
    if found.search.target is not None:
        axes.axhline(found.search.target, color="0.6", lw=0.8, ls="--", label="target")
    axes.set_xlabel(f"area beyond {found.space.baseline.name}, mm²")
    axes.set_ylabel("speed-up of all launches together")
    axes.grid(color="0.9")
    axes.legend(fontsize=8, loc="lower right")
    return figure


def draw_progress(found: Found) -> Figure:
    figure = Figure(figsize=(6.5, 3.8), layout="constrained")
    axes = figure.subplots()
    for name in found.known:
        color, marker, label = LOOK[name]
        best = [float("nan") if value is None else value for value in found.progress(name)]
        axes.step(range(1, len(best) + 1), best, where="post", color=color, marker=marker, ms=3.5, lw=1.2, label=label)
    axes.set_xlabel("configurations simulated")
    aim = "least area that reaches the target, mm²"
    axes.set_ylabel("hypervolume of the front, mm² × speed-up" if found.search.target is None else aim)
    axes.grid(color="0.9")
    axes.legend(fontsize=8)
    return figure


FIGURES = {"front": draw_front, "progress": draw_progress}


def write_figures(found: Found, folder: Path) -> Sequence[Path]:
    written = []
    for name, draw in FIGURES.items():
        figure = draw(found)
        for ending in ENDINGS:
            with whole_file(folder / f"{name}.{ending}") as temporary:
                figure.savefig(temporary, dpi=170, format=ending)
            written.append(folder / f"{name}.{ending}")
    return written
