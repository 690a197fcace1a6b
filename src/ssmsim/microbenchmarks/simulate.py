"""Simulated against measured cycles per loop round, for the microbenchmarks that were saved as launches."""

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from ssmsim.config.device import check_device
from ssmsim.config.load import load
from ssmsim.config.schema import SimConfig
from ssmsim.engines import open_engine
from ssmsim.launch import Launch, read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer

CYCLES = "gpc__cycles_elapsed.max"


@dataclass(frozen=True)
class Compared:
    """One microbenchmark: cycles per loop round. error: simulated / measured - 1; failed: why there is no number."""

    name: str
    measured: float
    simulated: float | None
    operations: float
    failed: str = ""

    @property
    def error(self) -> float | None:
        return None if self.simulated is None or not self.measured else self.simulated / self.measured - 1


def with_rounds(launch: Launch, rounds: int) -> Launch:
    """The same launch with another number of loop rounds among its parameters."""
    data, at = bytearray(launch.param_bytes), launch.microbenchmark["rounds_at"]  # type: ignore[attr-defined]
    struct.pack_into("<i", data, at, rounds)
    copy = launch.model_copy(update={"params": bytes(data).hex()})
    copy._folder = launch.folder
    return copy


def cycles(launch: Launch, config: SimConfig, engine: str) -> float:
    """Simulated cycles with the L2 as the launch itself left it: the measurement was not the first run either.

    One that was measured cold, with clean lines of other memory in L2, starts with an empty L2.
    """
    program = decode_launch(launch).program
    blocks = open_tracer("emulated").blocks(launch, program)
    cold = launch.microbenchmark.get("cold", False)  # type: ignore[attr-defined]
    warm = None if cold else launch.folder
    result = open_engine(engine).simulate(program, blocks, launch, config, warm=warm)
    return float(result.counters[CYCLES])  # type: ignore[arg-type]


def _of_other(results: Path, name: str) -> dict[str, Any] | None:
    """What another GPU measured for the launch GROUP/NAME.CASE; None where it did not run."""
    program, case = name.split(".", 1)
    file = results / f"{program}.json"
    found: dict[str, Any] = json.loads(file.read_text())["loops"] if file.is_file() else {}
    return found.get(case)


def compare(
    folder: Path,
    config_path: Path,
    names: list[str] | None = None,
    engine: str = "embedded",
    results: Path | None = None,
) -> Iterator[Compared]:
    """Simulate the launches in `folder` (those whose GROUP/NAME.CASE holds one of `names`), each with few and many rounds.

    results: folder of GROUP/NAME.json with the cycles of another GPU, in place of those that the launches carry; loops
    that were not measured there are left out.
    """
    config = load(config_path)
    for path in sorted(file.parent for file in folder.glob("*/*/launch.json")):
        case = path.relative_to(folder).as_posix()
        if names and not any(name in case for name in names):
            continue
        launch = read_launch(path)
        if results is None:  # the measured cycles are those of the GPU that the launch names
            check_device(launch, config)
        facts = launch.microbenchmark  # type: ignore[attr-defined]
        if results is not None and (facts := _of_other(results, case)) is None:
            continue
        few, many = facts["rounds"]
        measured = (median(facts["cycles_many"]) - median(facts["cycles_few"])) / (many - few)
        try:
            slope = (
                cycles(with_rounds(launch, many), config, engine) - cycles(with_rounds(launch, few), config, engine)
            ) / (many - few)
            yield Compared(case, measured, slope, facts["operations"])
        except Exception as error:  # one that cannot be simulated must not hide the others; its reason is in the table
            yield Compared(case, measured, None, facts["operations"], f"{type(error).__name__}: {error}")
