"""Nsight Compute's warp samples of captured launches: at which instruction warps were, and why they did not issue.

The launches are replayed from their cubins (ssmsim.capture.relaunch), caches flushed before each, so neither PyTorch nor the
captured program is needed. An SM takes a sample every INTERVAL cycles in which it is active.
"""

import argparse
import csv
import importlib
import io
import lzma
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ssmsim.capture import device, ncu
from ssmsim.capture.measure import captured, check, repeats
from ssmsim.capture.refused import order_of
from ssmsim.errors import SsmsimError
from ssmsim.files import whole_file
from ssmsim.launch import Launch

FILE = "stall_samples.csv.xz"
INTERVAL = 2048  # cycles; ncu takes 2 ** (5 + --warp-sampling-interval)
METRICS = "group:smsp__pcsamp_warp_stall_reasons"
PREFIX = "smsp__pcsamp_warps_issue_stalled_"
NOT_ISSUED = "_not_issued"  # of the same samples those in which no warp of the sub-core issued
EXECUTED = "inst_executed"  # by instruction: the first one tells where the kernel begins
SIZES = {key: [f"launch__{key}_dim_{axis}" for axis in "xyz"] for key in ("grid", "block")}
Sample = tuple[str, str, str, int]  # launch, PC in hexadecimal, reason, samples


def command(report: Path, program: list[str]) -> list[str]:
    """ncu's command line: warp samples of every kernel between cudaProfilerStart and Stop, into `report`."""
    interval = str(INTERVAL.bit_length() - 6)
    return [
        str(ncu.find()), "--export", str(report), "--force-overwrite", "--clock-control", "none", "--cache-control", "all",
        "--profile-from-start", "off", "--target-processes", "application-only", "--warp-sampling-interval", interval,
        "--metrics", ",".join((METRICS, EXECUTED, *SIZES["grid"], *SIZES["block"])), *program,
    ]  # fmt: skip


def read_report(report: Path) -> list[dict[str, Any]]:
    """The profiled kernels of an ncu report in order: name, grid, block, and (address, reason, samples), from the kernel's start.

    Read by the module that comes with ncu; raises SsmsimError where it is not beside it.
    """
    folder = ncu.python_module()
    sys.path.insert(0, str(folder))
    try:
        context = importlib.import_module("ncu_report").load_report(str(report))
    finally:
        sys.path.remove(str(folder))
    kernels = []
    for part in (context.range_by_idx(i) for i in range(context.num_ranges())):
        for action in (part.action_by_idx(i) for i in range(part.num_actions())):
            size = {
                key: tuple(int(action.metric_by_name(name).as_uint64()) for name in of) for key, of in SIZES.items()
            }
            kernels.append({"kernel": action.name(action.NameBase_MANGLED), **size, "samples": list(_samples(action))})
    return kernels


def _samples(action: Any) -> Iterator[tuple[int, str, int]]:
    start = min(address for address, _ in _instances(action, EXECUTED))
    for metric in sorted(action.metric_names()):
        if metric.startswith(PREFIX) and not metric.endswith(NOT_ISSUED):
            for address, count in _instances(action, metric):
                if count:
                    yield address - start, metric.removeprefix(PREFIX), count


def _instances(action: Any, metric: str) -> list[tuple[int, int]]:
    """(address, value) of a metric that ncu has by instruction."""
    value = action.metric_by_name(metric)
    addresses = value.correlation_ids()
    return [(int(addresses.as_uint64(i)), int(value.as_uint64(i))) for i in range(value.num_instances())]


def of_launches(kernels: list[dict[str, Any]], launches: Mapping[str, Launch]) -> list[Sample]:
    """Samples by captured launch, of equal ones those of the first. Raises SsmsimError when the run launched something else than the capture."""
    repeats(kernels, launches, "sampled run")
    rows: list[Sample] = []
    done: set[str] = set()
    for i, (found, name) in enumerate(zip(kernels, order_of(launches), strict=True)):
        check(i, name, launches[name], found, "sampled run")
        if name in done:
            continue
        done.add(name)
        rows += [(name, hex(at), reason, count) for at, reason, count in found["samples"]]
    return rows


def write(path: Path, rows: list[Sample]) -> None:
    """launch,pc,reason,samples as CSV, packed by xz; pc in bytes from the kernel's start."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["launch", "pc", "reason", "samples"])
    ordered: list[Sample] = sorted(rows, key=lambda row: (row[0], row[2], int(row[1], 16)))
    out.writerows(ordered)
    with whole_file(path) as temporary:
        temporary.write_bytes(lzma.compress(text.getvalue().encode(), preset=9 | lzma.PRESET_EXTREME))


def sample_stalls(folder: Path, report: Path) -> None:
    """Write stall_samples.csv.xz into the capture `folder`; `report` is where ncu's own file goes.

    Raises SsmsimError without captured launches, GPU or ncu.
    """
    launches = captured(folder)
    if not (folder / "sequence.json").is_file():
        raise SsmsimError("no sequence.json", folder, "name the folder of a whole capture")
    ncu.find()
    device.require()
    program = [sys.executable, "-m", "ssmsim.capture.relaunch", str(folder), "--repeat", "1"]
    done = subprocess.run(command(report, program), capture_output=True, text=True, check=False)
    if done.returncode or not report.is_file():
        told = next((line for line in done.stdout.splitlines() if line.startswith("==ERROR==")), done.stderr[-200:])
        raise SsmsimError(f"ncu took no samples: {told.strip()}", folder, "run as root; see `ncu --query-metrics`")
    write(folder / FILE, of_launches(read_report(report), launches))


def main() -> None:
    """`python -m ssmsim.capture.stall_samples REPORT FOLDER`: the same from a report that ncu has already written."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("report", type=Path)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    write(given.folder / FILE, of_launches(read_report(given.report), captured(given.folder)))


if __name__ == "__main__":
    main()
