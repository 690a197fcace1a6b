"""Energy of captured launches by the GPU's own counter: each launch again and again, between two updates of the counter.

The counter is updated some ten times a second, a launch takes microseconds: so a launch is repeated for seconds, back to back, from
one update to another, and its share is the difference over the number of launches. Caches are warm, and the clock is what the
board's power allows.
"""

import csv
import json
import time
from collections.abc import Callable
from ctypes import c_void_p
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Protocol

from ssmsim.capture import device, driver
from ssmsim.capture.measure import captured, cell, median, spread_cell
from ssmsim.errors import SsmsimError
from ssmsim.files import whole_file
from ssmsim.launch import Launch

REPETITIONS = 5  # windows of a launch
WINDOW_SECONDS = 3.0
BATCH_SECONDS = 0.1  # of launches between two looks at the counter, which take milliseconds in which the GPU is idle
STANDSTILL_SECONDS = 5.0  # a counter that is not updated for so long will not be
COLUMNS = ("launch", "kernel", "repetitions", "launches", "microseconds", "microseconds:spread", "joules", "joules:spread", "watts",
           "idle_watts")  # fmt: skip


class Counter(Protocol):
    def millijoules(self) -> int:
        """Since some moment in the past; grows."""
        ...


@dataclass(frozen=True)
class Window:
    """From one update of the counter to another, `runs` of the work were done."""

    millijoules: int
    seconds: float
    runs: int

    @property
    def joules(self) -> float:
        """Of one run."""
        return self.millijoules * 1e-3 / self.runs

    @property
    def watts(self) -> float:
        return self.millijoules * 1e-3 / self.seconds


@dataclass
class Row:
    launch: str
    kernel: str
    windows: list[Window]
    idle_watts: float


def window(counter: Counter, work: Callable[[int], None], batch: int, seconds: float = WINDOW_SECONDS,
           clock: Callable[[], float] = time.perf_counter) -> Window:  # fmt: skip
    """Do `work(batch)`, which returns when it is done, until `seconds` have passed between two updates of the counter.

    Work goes on before the first update, too, so that the GPU is at its load when the window begins. Raises SsmsimError for a
    counter that stands still or falls.
    """
    first: tuple[int, float, int] | None = None
    runs, last, looked = 0, counter.millijoules(), clock()
    while True:
        work(batch)
        runs += batch
        now, value = clock(), counter.millijoules()
        if value < last:
            raise SsmsimError("the energy counter fell", "", "measure again: the driver was loaded anew")
        if value == last:
            if now - looked > STANDSTILL_SECONDS:
                raise SsmsimError(
                    f"the energy counter stood still for {STANDSTILL_SECONDS:g} s", "", "measure on another GPU"
                )
            continue
        last, looked = value, now
        if first is None:
            first = value, now, runs
        elif now - first[1] >= seconds:
            return Window(value - first[0], now - first[1], runs - first[2])


def batch_of(work: Callable[[int], None], clock: Callable[[], float] = time.perf_counter) -> int:
    """Launches that take about BATCH_SECONDS; the first is not timed, it loads code."""
    work(1)
    begin = clock()
    work(1)
    return max(1, int(BATCH_SECONDS / max(clock() - begin, 1e-6)))


def idle_watts(counter: Counter, seconds: float = WINDOW_SECONDS) -> float:
    """What the board takes with a context and nothing to do."""
    return window(counter, lambda _: time.sleep(BATCH_SECONDS), 1, seconds).watts


def measure_launches(counter: Counter, works: dict[str, tuple[str, Callable[[int], None]]],
                     seconds: float = WINDOW_SECONDS) -> list[Row]:  # fmt: skip
    """works: launch -> (kernel, work). A row each, in that order; the idle power is taken before each of them."""
    rows = []
    for name, (kernel, work) in works.items():
        idle = idle_watts(counter, seconds)
        batch = batch_of(work)
        rows.append(Row(name, kernel, [window(counter, work, batch, seconds) for _ in range(REPETITIONS)], idle))
    return rows


def write_energy(path: Path, rows: list[Row]) -> None:
    """energy.csv: a row per launch, medians and spreads of the windows. joules: of one launch, all that the board took."""
    with whole_file(path) as temporary, temporary.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for row in rows:
            micros = [w.seconds / w.runs * 1e6 for w in row.windows]
            joules, watts = [w.joules for w in row.windows], [w.watts for w in row.windows]
            launches = min(w.runs for w in row.windows)
            cells = [cell(median(micros)), spread_cell(micros), cell(median(joules)), spread_cell(joules)]
            out.writerow(
                [row.launch, row.kernel, len(row.windows), launches, *cells, cell(median(watts)), cell(row.idle_watts)]
            )


def measure_energy(captures: Path, folder: Path, only: list[str] | None = None) -> None:
    """Write energy.csv and energy.schema.json of the launches in `captures` into `folder`, beside measured.csv.

    only: patterns of their names, all when none. Raises SsmsimError without captured launches, a GPU or NVML's counter.
    """
    launches: dict[str, Launch] = captured(captures)
    if only:
        launches = {name: one for name, one in launches.items() if any(fnmatchcase(name, like) for like in only)}
    if not launches:
        raise SsmsimError(f"no launch is named like {' or '.join(only or [])}", captures, "see `ls`")
    if not (captures / "sequence.json").is_file():
        raise SsmsimError("no sequence.json", captures, "name the folder of a whole capture")
    device.require()
    from ssmsim.capture.nvml import EnergyCounter
    from ssmsim.capture.relaunch import launcher, replay

    counter = EnergyCounter()
    before = device.smi()
    memory = replay(captures)  # every buffer holds what the sequence left there
    modules: dict[Path, c_void_p] = {}

    def work_of(once: Callable[[], None]) -> Callable[[int], None]:
        def work(times: int) -> None:
            for _ in range(times):
                once()
            driver.synchronize()

        return work

    works = {name: (launch.kernel, work_of(launcher(launch, memory, modules))) for name, launch in launches.items()}
    rows = measure_launches(counter, works)
    folder.mkdir(parents=True, exist_ok=True)
    write_energy(folder / "energy.csv", rows)
    _write_schema(folder / "energy.schema.json", before)


def _write_schema(path: Path, before: dict[str, str]) -> None:
    schema = {
        "format": "energy/1",
        "counter": "nvmlDeviceGetTotalEnergyConsumption: the whole board, memory and regulators included",
        "columns": {
            "launches": "of the shortest window",
            "microseconds": "of one launch, back to back with itself",
            "joules": "of one launch: the counter's difference over the launches of a window",
            "watts": "over a window",
            "idle_watts": "before the launch, with a context and nothing to do; what it takes is part of joules",
        },
        "value": f"median of {REPETITIONS} windows of at least {WINDOW_SECONDS:g} s, from one update of the counter to another",
        ":spread": "(largest - smallest) / largest of the windows",
        "cache": "warm: each launch finds what it left itself",
        "clock_control": "none",
        "date": device.today(),
        "device": {"before": before, "after": device.smi()},
    }
    with whole_file(path) as temporary:
        temporary.write_text(json.dumps(schema, indent=1) + "\n")
