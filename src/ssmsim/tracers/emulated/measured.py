"""Emulated totals of launches beside what Nsight Compute measured for them."""

from pathlib import Path

from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch
from ssmsim.measured import read_measured
from ssmsim.tracers.emulated.totals import emulate_totals


def measured_row(folder: Path) -> dict[str, float]:
    """The measured counters of a launch: its cold-cache row of measured.csv in the folder above.

    SsmsimError when there is none.
    """
    path = folder.resolve().parent / "measured.csv"
    if not path.is_file():
        raise SsmsimError("no measured.csv beside the launch", folder, "measure it by `ssmsim measure`")
    row = read_measured(path).rows.get((folder.resolve().name, "cold"))
    if row is None:
        raise SsmsimError(f"no row of {folder.resolve().name}", path, "measure it by `ssmsim measure`")
    return {name: value for name, value in row.items() if value is not None}


def compare_with_measured(folder: Path) -> tuple[dict[str, int], dict[str, tuple[int, float]]]:
    """(counters that are equal, counters that differ with both values) of one launch, all of its blocks emulated."""
    row, counters = measured_row(folder), emulate_totals(read_launch(folder)).counters()
    equal = {name: value for name, value in counters.items() if row.get(name) == value}
    other = {name: (value, row[name]) for name, value in counters.items() if name in row and row[name] != value}
    return equal, other
