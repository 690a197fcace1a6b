"""Measures captured launches: event times in the running sequence, and counters with cold and with warm caches.

Capture and measurement are tied by the hash of each kernel's code. The run that is timed goes through the same
interception as the capture and sees every cubin. Under Nsight Compute that interception is not possible; there, Triton
itself gives the cubins of its kernels, and the other kernels are known by mangled name, grid and block.
"""

import csv
import json
import statistics
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ssmsim.capture import device, ncu
from ssmsim.capture.child import run_inside
from ssmsim.capture.refused import GRAPH, Launches, Refused, launched, order_of
from ssmsim.capture.tuning import TUNING
from ssmsim.counters import COUNTERS
from ssmsim.errors import SsmsimError
from ssmsim.files import whole_file
from ssmsim.launch import Launch, read_launch

REPETITIONS = 5
CACHES = ("cold", "warm")


@dataclass
class Measured:
    """Values of one launch in one cache state: counter to its value in each repetition."""

    launch: str
    kernel: str
    cache: str
    values: dict[str, list[float | None]] = field(default_factory=dict)


def captured(folder: Path) -> Launches[Launch]:
    """The launches of a capture, by folder name, in the order of the sequence; without one, as they are numbered.

    A launch that stands for several equal ones is there once, and in the `order` of steps as often as it ran.
    """
    names = sorted(file.parent.name for file in folder.glob("*/launch.json"))
    if not names:
        raise SsmsimError("no captured launches", folder, "run `ssmsim capture -o` with this folder first")
    if not (folder / "sequence.json").is_file():
        return Launches({name: read_launch(folder / name) for name in names}, names)
    ran = launched(folder)
    kept = {name: launch for name, launch in ran.items() if not isinstance(launch, Refused)}
    return Launches(kept, [name for name in ran.order if name in kept], ran.graphs)


def tuning_of(launches: Mapping[str, Launch | Refused]) -> dict[str, str]:
    """What a run that measures these is told of the choices that Triton's autotuner made in the capture."""
    folders = {launch.folder.parent for launch in launches.values() if isinstance(launch, Launch)}
    files = [folder / TUNING for folder in folders if (folder / TUNING).is_file()]
    return {"tuning": str(files[0])} if files else {}


def repeats(kernels: Sequence[Any], launches: Mapping[str, Launch | Refused], where: str) -> int:
    """How often a run went through the captured sequence; raises when it launched something else."""
    expected = len(order_of(launches))
    if not kernels or len(kernels) % expected:
        what = f"{len(kernels)} launches where the capture has {expected}"
        raise SsmsimError(what, where, "measure with the command that was captured")
    return len(kernels) // expected


def check(index: int, name: str, launch: Launch | Refused, found: dict[str, Any], where: str) -> None:
    """Raise when launch `index` of a run is not the captured one."""
    wanted: dict[str, Any] = {"kernel": launch.kernel, "grid": launch.grid, "block": launch.block}
    for key, want in wanted.items():
        if found[key] != want:
            what = f"launch {index} has {key} {found[key]} where the capture's {name} has {want}"
            raise SsmsimError(what, where, "measure with the command and the tuning that were captured")
    want = launch.provenance.get("code_sha256")
    if not isinstance(launch, Refused) and found.get("code", want) != want:
        what = f"launch {index} ({name}) runs code {found['code'][:16]}, captured {str(want)[:16]}"
        raise SsmsimError(what, where, "keep the capture's tuning.json, which pins Triton's choices, or capture again")


def event_times(
    command: list[str], launches: Mapping[str, Launch | Refused], repetitions: int = REPETITIONS
) -> dict[str, list[float]]:
    """Microseconds of every launch in the running sequence, in each repetition and of each launch that equals it."""
    order = order_of(launches)
    times: dict[str, list[float]] = {name: [] for name in launches}
    while min(len(values) for values in times.values()) < repetitions:
        with tempfile.TemporaryDirectory() as out:
            run_inside(command, {"out": out, "mode": "time"} | tuning_of(launches))
            rows = list(csv.DictReader((Path(out) / "times.csv").open()))
        repeats(rows, launches, "timed run")
        for i, row in enumerate(rows):
            name = order[i % len(order)]
            size = {key: tuple(map(int, row[key].split("x"))) for key in ("grid", "block")}
            check(i, name, launches[name], {"kernel": row["kernel"], "code": row["code_sha256"], **size}, "timed run")
            times[name].append(float(row["microseconds"]))
    return times


def counters(
    command: list[str],
    launches: Mapping[str, Launch | Refused],
    cache: str,
    wanted: Sequence[str],
    one_pass: bool = False,
    repetitions: int = REPETITIONS,
) -> tuple[list[Measured], dict[str, str]]:
    """The wanted counters of every launch with the given cache state, and their units as ncu gives them.

    one_pass: insist that ncu runs each launch once, so that it finds the caches as the launch before left them. Of equal
    launches the first is measured where caches are warm, as it is the one that a warm simulation takes; else each.
    """
    names = order_of(launches)
    table = {name: Measured(name, launch.kernel, cache) for name, launch in launches.items()}
    first = {names.index(name) for name in launches}
    units: dict[str, str] = {}
    done = 0
    while done < repetitions:
        with tempfile.TemporaryDirectory() as out:
            wish = {"out": out, "mode": "hash"} | tuning_of(launches)
            text = run_inside(command, wish, ncu.prefix(wanted, cache))
            run = json.loads((Path(out) / "launched.json").read_text())
            _check_code(run, launches)
        units, rows = ncu.parse(text)
        done += repeats(rows, launches, f"{cache} run")
        for i, row in enumerate(rows):
            grid, block = ncu.grid_of(row)
            found = {"kernel": row["Kernel Name"], "grid": grid, "block": block}
            name = names[i % len(names)]
            check(i, name, launches[name], found, f"{cache} run")
            if one_pass and ncu.number(row[ncu.PASSES]) != 1:
                raise SsmsimError(f"ncu needs {row[ncu.PASSES]} passes for {', '.join(wanted)}", "", "ask for fewer")
            if cache == "warm" and i % len(names) not in first:
                continue
            for counter in wanted:
                table[name].values.setdefault(counter, []).append(ncu.number(row.get(counter, "")))
    return list(table.values()), {name: units.get(name, "") for name in wanted}


def _check_code(run: list[tuple[str, str]], launches: Mapping[str, Launch | Refused]) -> None:
    """What Triton launched in a profiled run must end with the captured kernels, in their order. Kernels of CUDA graphs were
    launched when the graphs were made, once: of a capture with such, each kernel must have been launched with its code.
    """
    known = {kernel for kernel, _ in run}
    steps = [launches[name] for name in order_of(launches)]
    pairs = [(launch.kernel, launch.provenance.get("code_sha256")) for launch in steps]
    wanted = [pair for pair in pairs if pair[0] in known]
    if isinstance(launches, Launches) and launches.graphs:
        codes = {tuple(pair) for pair in run}
        for kernel, want in wanted:
            if want and (kernel, want) not in codes:
                _refuse_code(next(pair for pair in run if pair[0] == kernel), (kernel, want))
        return
    tail = [tuple(pair) for pair in run[len(run) - len(wanted) :]]
    for (kernel, want), (ran, digest) in zip(wanted, tail, strict=True):
        if (kernel, want or digest) != (ran, digest):
            _refuse_code((ran, digest), (kernel, str(want)))


def _refuse_code(ran: tuple[str, str], wanted: tuple[str, str]) -> None:
    what = f"the profiled run launched {ran[0]} of cubin {ran[1][:16]}, the capture has {wanted[0]} of {wanted[1][:16]}"
    raise SsmsimError(what, "", "keep the capture's tuning.json, which pins Triton's choices, or capture again")


def median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def spread(values: Iterable[float | None]) -> float | None:
    """(largest - smallest) / largest by size: 0.02 says that the repetitions agree within 2 %."""
    known = [value for value in values if value is not None]
    largest = max(map(abs, known), default=0.0)
    if not known:
        return None
    return (max(known) - min(known)) / largest if largest else 0.0


def measure(command: list[str], folder: Path, repetitions: int = REPETITIONS, caches: Sequence[str] = CACHES) -> None:
    """Write measured.csv, measured.schema.json and event_times.csv into the capture `folder`.

    The program runs repetitions times for its event times, and twice as often under ncu for each state of the caches.
    """
    captured(folder)
    launches = launched(folder)  # those that were not kept can be measured all the same
    if any(launch.kernel == GRAPH for launch in launches.values()):
        what = "a CUDA graph was refused, and its kernels cannot be told from others"
        raise SsmsimError(what, folder, "capture the program without CUDA graphs, and measure that")
    ncu.prefix(COUNTERS, "cold")  # fails at once where there is no ncu
    before = device.smi()
    times = event_times(command, launches, repetitions)
    table: list[Measured] = []
    units: dict[str, str] = {}
    for cache in caches:
        rows, units = counters(command, launches, cache, tuple(COUNTERS), False, repetitions)
        table += rows
        sequence, _ = counters(command, launches, cache, ncu.IN_SEQUENCE, True, repetitions)
        for row, once in zip(rows, sequence, strict=True):
            row.values |= once.values  # over several passes ncu restores what a launch writes: again.py
    write_table(folder / "measured.csv", table)
    _write_times(folder / "event_times.csv", launches, times)
    write_schema(folder / "measured.schema.json", table, units, before)


def cell(value: float | None) -> str:
    return "" if value is None else f"{value:.10g}"


def spread_cell(values: Iterable[float | None]) -> str:
    return "" if (value := spread(values)) is None else f"{value:.4f}"


def write_table(path: Path, table: list[Measured]) -> None:
    """measured.csv: a row per launch and cache state, medians and spreads of the repetitions."""
    with whole_file(path) as temporary, temporary.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["launch", "kernel", "cache", "repetitions", *COUNTERS, *(f"{c}:spread" for c in COUNTERS)])
        for row in table:
            medians = [cell(median(row.values[c])) for c in COUNTERS]
            spreads = [spread_cell(row.values[c]) for c in COUNTERS]
            count = len(next(iter(row.values.values())))
            out.writerow([row.launch, row.kernel, row.cache, count, *medians, *spreads])


def _write_times(path: Path, launches: Mapping[str, Launch | Refused], times: dict[str, list[float]]) -> None:
    with whole_file(path) as temporary, temporary.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["launch", "kernel", "repetitions", "microseconds", "microseconds:spread"])
        for name, values in times.items():
            kernel = launches[name].kernel
            out.writerow([name, kernel, len(values), cell(median(values)), f"{spread(values) or 0.0:.4f}"])


def write_schema(
    path: Path, table: list[Measured], units: dict[str, str], before: dict[str, str], more: dict[str, str] | None = None
) -> None:
    """Units, what the columns mean, why a cell is empty, and the state of the device; `more` facts beside them."""
    missing = {c for c in COUNTERS if all(v is None for row in table for v in row.values[c])}
    schema = {
        "format": "measured/1",
        "columns": {
            name: {
                "unit": counter.unit,
                "ncu_unit": units[name],
                "warm": "sequence" if name in ncu.IN_SEQUENCE else "own",
                "cold": "one pass" if name in ncu.IN_SEQUENCE else "several passes",
            }
            | ({"empty": "this version of ncu has no such counter on this GPU"} if name in missing else {})
            for name, counter in COUNTERS.items()
        },
        "value": "median of the repetitions",
        ":spread": "(largest - smallest) / largest of the repetitions",
        "empty": "a ratio whose denominator the launch never made: the counter has no value there",
        "cache": {
            "cold": "ncu --cache-control all: L1, L2 and instruction caches invalidated before every pass. Columns marked "
            "one pass: each launch run once; the others over several passes, what it writes restored in between",
            "warm": "ncu --cache-control none. Columns marked sequence: each launch run once, in one pass, so caches "
            "are as the launch before it left them. Columns marked own: one pass after another over the same launch, "
            "what it writes restored in between, so L2 holds what fits of its own earlier pass and of the restore",
        },
        "clock_control": "none: the GPU boosts as it does in use; gpc__cycles_elapsed.max / gpu__time_duration.sum "
        "is the clock of a row",
        "date": device.today(),
        "device": {"before": before, "after": device.smi()},
    } | (more or {})
    with whole_file(path) as temporary:
        temporary.write_text(json.dumps(schema, indent=1) + "\n")
