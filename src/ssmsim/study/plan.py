"""A study file to the list of simulations, every name in it checked against what exists, before anything runs."""

import hashlib
import json
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import ValidationError

import ssmsim
from ssmsim.config.load import load
from ssmsim.config.schema import SimConfig
from ssmsim.engines import engine_names
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch, read_launch
from ssmsim.study.schema import AND, AT, Cache, Study, read_study


@dataclass(frozen=True, order=True)
class Run:
    """One simulation, and where its result lies."""

    engine: str
    workload: str
    launch: str
    config: str
    cache: Cache

    def path(self, device: str) -> str:
        return f"results/{self.engine}/{device}/{self.workload}/{self.launch}/{self.config}.{self.cache}.json"


@dataclass(frozen=True)
class Plan:
    """A checked study.

    runs:      every simulation, once, sorted.
    configs:   name -> the validated configuration, simconfigs/ and sweep points alike.
    generated: name of a sweep point -> text of its configuration, as results/configs/ holds it.
    launches:  (workload, folder name) -> the launch.
    """

    study: Study
    root: Path
    runs: tuple[Run, ...]
    configs: dict[str, SimConfig]
    generated: dict[str, str]
    launches: dict[tuple[str, str], Launch]

    @cached_property
    def results(self) -> list[str]:
        return [run.path(self.study.device) for run in self.runs]

    @property
    def workloads(self) -> list[str]:
        return sorted({run.workload for run in self.runs})

    @cached_property
    def measured(self) -> list[str]:
        """Measured tables of the workloads in the plan, as far as there are any."""
        folders = [f"traces/{self.study.device}/{workload}" for workload in self.workloads]
        return [f"{folder}/measured.csv" for folder in folders if (self.root / folder / "measured.csv").is_file()]

    @cached_property
    def smallest(self) -> Run:
        """The run with the fewest thread blocks."""
        return min(self.runs, key=lambda run: self.launches[run.workload, run.launch].blocks)

    def config_files(self, name: str) -> list[str]:
        """The files that a configuration is made of, itself first."""
        if name in self.generated:
            return [f"results/configs/{name}.yaml", *self.config_files(self.study.baseline)]
        return [str(Path(file).relative_to(self.root)) for file in self.configs[name].files]


REPLAY = ("config", "sass", "trace", "tracers", "launch.py", "contents.py")  # beside the engine, what a result rests on


@cache
def digest(engine: str) -> str:
    """Hash of the sources that a replay by `engine` runs; without importing them."""
    package = Path(ssmsim.__file__).parent
    hashed = hashlib.sha256()
    for part in (f"engines/{engine}", *REPLAY):
        for file in sorted((package / part).rglob("*.py")) or [package / part]:
            hashed.update(f"{file.relative_to(package)}\0".encode() + file.read_bytes())
    return hashed.hexdigest()[:16]


def make_plan(file: Path | str, root: Path | str = ".") -> Plan:
    """Check a study file against the launches, configurations and engines under `root`.

    Raises SsmsimError, one line, for a launch, configuration, field, axis or engine that does not exist, a selection
    that comes out empty, and a launch captured on another GPU than the configuration describes.
    """
    root = Path(root)
    study = read_study(root / file)
    for engine in study.engines:
        if engine not in engine_names():
            raise SsmsimError(f"field engines: no engine {engine!r}", file, f"choose of {', '.join(engine_names())}")
    baseline = _config(root, study.baseline, "baseline", file)
    configs, generated = {study.baseline: baseline}, {}
    wanted: set[Run] = set()
    launches: dict[tuple[str, str], Launch] = {}
    for name, selection in study.selections.items():
        field = f"selections.{name}"
        for config in selection.configs:
            if config not in configs:
                configs[config] = _config(root, config, f"{field}.configs", file)
        points = list(selection.configs)
        for sweep in selection.sweeps:
            for factors in product(*sweep.values()):
                point = AND.join(f"{a}{AT}{f:g}" for a, f in zip(sweep, factors, strict=True) if f != 1)
                points.append(point or study.baseline)
                if point and point not in configs:
                    steps = dict(zip(sweep, factors, strict=True))
                    configs[point], generated[point] = _sweep_point(study, baseline, point, steps, file)
        chosen = _launches(root, study.device, selection.launches, field, file)
        for (workload, launch), description in chosen.items():
            for point in points:
                _same_gpu(description, study, configs[point], point, f"{workload}/{launch}", file)
                wanted |= {Run(e, workload, launch, point, c) for e in study.engines for c in selection.caches}
        launches |= chosen
    return Plan(study, root, tuple(sorted(wanted)), configs, generated, launches)


def _config(root: Path, name: str, field: str, file: Path | str) -> SimConfig:
    if not (root / "simconfigs" / f"{name}.yaml").is_file():
        there = ", ".join(sorted(path.stem for path in (root / "simconfigs").glob("*.yaml")))
        raise SsmsimError(f"field {field}: no configuration {name!r}", file, f"simconfigs/ has {there or 'none'}")
    return load(root / "simconfigs" / f"{name}.yaml")


def _launches(
    root: Path, device: str, wanted: dict[str, list[str]], field: str, file: Path | str
) -> dict[tuple[str, str], Launch]:
    found: dict[tuple[str, str], Launch] = {}
    for workload, patterns in wanted.items():
        folder = root / "traces" / device / workload
        there = sorted(path.parent.name for path in folder.glob("*/launch.json"))
        if not there:
            raise SsmsimError(f"field {field}.launches: no captured launches in {folder}", file, "capture the workload")
        for pattern in patterns:
            names = [name for name in there if fnmatchcase(name, pattern)]
            if not names:
                raise SsmsimError(
                    f"field {field}.launches.{workload}: no launch matches {pattern!r}",
                    file,
                    f"{workload} has {', '.join(there)}",
                )
            found |= {(workload, name): read_launch(folder / name) for name in names}
    if not found:
        raise SsmsimError(f"field {field}.launches: selects no launch", file, 'give a pattern, "*" for all')
    return found


def _same_gpu(launch: Launch, study: Study, config: SimConfig, name: str, where: str, file: Path | str) -> None:
    capability = ".".join(str(part) for part in launch.device.compute_capability)
    if capability != config.gpu.compute_capability or study.device.upper() not in launch.device.name.upper():
        raise SsmsimError(
            f"launch {where} was captured on {launch.device.name} ({capability}), not on device {study.device} with "
            f"the {config.gpu.compute_capability} that configuration {name} describes",
            file,
            "capture it there or name another configuration",
        )


def _sweep_point(
    study: Study, baseline: SimConfig, point: str, steps: dict[str, float], file: Path | str
) -> tuple[SimConfig, str]:
    """Configuration of one sweep point, validated, and its YAML (which JSON is)."""
    changed: dict[str, dict[str, Any]] = {}
    values = baseline.model_dump()
    for axis, factor in steps.items():
        for field, exponent in study.axes[axis].items():
            group, _, name = field.partition(".")
            value = values.get(group, {}).get(name) if isinstance(values.get(group), dict) else None
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise SsmsimError(
                    f"field axes.{axis}: no number {field!r} in {study.baseline}", file, "see simconfigs/"
                )
            scaled = value * factor**exponent
            values[group][name] = changed.setdefault(group, {})[name] = (
                max(round(scaled), 1 if value else 0) if isinstance(value, int) else scaled
            )
    try:
        config = SimConfig.model_validate(values | {"name": point})
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or first["msg"].removeprefix("Value error, ")
        raise SsmsimError(f"sweep point {point}: {field.replace('|', ' ')}: {first['msg']}", file, "mend") from None
    return config, json.dumps({"base": f"../../simconfigs/{study.baseline}"} | changed, indent=1) + "\n"
