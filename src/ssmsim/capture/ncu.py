"""Nsight Compute: the command that reads a list of counters, and the table that it prints."""

import csv
import io
import shutil
from collections.abc import Iterable
from pathlib import Path

from ssmsim.errors import SsmsimError

CACHE_CONTROL = {"cold": "all", "warm": "none"}
PASSES = "profiler__replayer_passes"
IN_SEQUENCE = (
    "gpc__cycles_elapsed.max", "sm__cycles_active.avg", "sm__cycles_active.max", "gpu__time_duration.sum",
    "dram__bytes_read.sum", "dram__bytes_write.sum",
)  # fmt: skip
"""Counters that ncu can read in one pass together: a launch need not be run again for them."""


INSTALLED = ("/opt/nvidia/nsight-compute", "/usr/local/cuda*", "/usr/local/NVIDIA-Nsight-Compute*")


def find() -> Path:
    """Nsight Compute's command line: the `ncu` on the PATH, else the newest where NVIDIA's packages put it.

    Raises SsmsimError where there is none.
    """
    if (found := shutil.which("ncu")) is not None:
        return Path(found)
    places = [place for pattern in INSTALLED for place in Path("/").glob(pattern.lstrip("/"))]
    programs = sorted(file for place in places for at in ("ncu", "*/ncu", "bin/ncu") for file in place.glob(at))
    if not programs:
        raise SsmsimError(
            "no ncu found", "", "install Nsight Compute (part of the CUDA toolkit) and put it on the PATH"
        )
    return programs[-1]


def python_module() -> Path:
    """The folder of `ncu_report`, which reads ncu's reports: beside ncu, or where NVIDIA's packages put it.

    The `ncu` of a CUDA toolkit may be a script that starts the one of an installed Nsight Compute.
    """
    places = [
        find().resolve().parent,
        *(place for pattern in INSTALLED for place in Path("/").glob(pattern.lstrip("/"))),
    ]
    found = sorted(
        folder for place in places for folder in place.glob("**/extras/python") if (folder / "ncu_report.py").is_file()
    )
    if not found:
        raise SsmsimError(
            "ncu's Python module is missing", "extras/python/ncu_report.py", "install Nsight Compute whole"
        )
    return found[-1]


def prefix(metrics: Iterable[str], cache: str) -> list[str]:
    """The command line up to the program: counters of every kernel between cudaProfilerStart and Stop, as CSV.

    cache: cold flushes the caches before every pass, warm leaves them as the pass before left them.
    """
    return [
        str(find()), "--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base", "mangled",
        "--clock-control", "none", "--cache-control", CACHE_CONTROL[cache], "--replay-mode", "kernel",
        "--profile-from-start", "off", "--target-processes", "application-only",
        "--metrics", ",".join((*metrics, PASSES)),
    ]  # fmt: skip


Row = dict[str, str]


def parse(text: str) -> tuple[dict[str, str], list[Row]]:
    """(units by column, one row per profiled kernel) of ncu's raw CSV page, whatever else stands in the output."""
    start = text.find('"ID","Process ID"')
    if start < 0:
        told = next(
            (line for line in text.splitlines() if line.startswith(("==ERROR==", "==WARNING== No kernels"))), ""
        )
        raise SsmsimError(
            f"ncu gave no table: {told or 'nothing said'}", "", "does the program launch kernels in its region?"
        )
    lines = [line for line in text[start:].splitlines() if not line.startswith("==")]
    table = list(csv.DictReader(io.StringIO("\n".join(lines))))
    return table[0], table[1:]


def number(cell: str) -> float | None:
    """A cell's value; None where ncu has no value."""
    try:
        return float(cell.replace(",", ""))
    except ValueError:
        return None


def grid_of(row: Row) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(grid, block) of a row."""
    grid, block = (tuple(int(n) for n in row[c].strip("()").split(",")) for c in ("Grid Size", "Block Size"))
    return grid, block
