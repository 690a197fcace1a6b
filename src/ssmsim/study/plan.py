"""A study file to the list of simulations, every name in it checked against what exists, before anything runs."""

import hashlib
import os
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import product
from pathlib import Path

from ssmsim.config.device import same_device
from ssmsim.config.load import chain, load
from ssmsim.config.load import digest as config_digest
from ssmsim.config.schema import SimConfig
from ssmsim.engines import engine_names, open_engine
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch, read_launch
from ssmsim.measured import read_measured
from ssmsim.study.keys import digest, launch_digest
from ssmsim.study.names import check_file_name, check_inside, check_name
from ssmsim.study.points import count, name_of, steps_of, sweep_point, until, with_values
from ssmsim.study.schema import MOST_RUNS, OFF, Cache, Selection, Study, read_study


@dataclass(frozen=True, order=True)
class Run:
    """One simulation, and where its result lies. sms, waves: of the part of the GPU; 0 for the whole.

    blocks: the first so many alone; 0 for all. draw: seed of what is left to chance (engines.request.Request.seed).
    whole: every block is timed, also where the study samples.
    """

    engine: str
    workload: str
    launch: str
    config: str
    cache: Cache
    sms: int = 0
    waves: float = 0.0
    blocks: int = 0
    draw: int = 0
    whole: bool = False

    @property
    def names(self) -> dict[str, str]:
        """What its result says of itself."""
        return {"engine": self.engine, "workload": self.workload, "launch": self.launch, "config": self.config,
                "cache": self.cache}  # fmt: skip

    def path(self, device: str) -> str:
        how = f"{self.sms}sms" if self.sms else self.cache + (f".{self.blocks}blocks" if self.blocks else "")
        how += (f".draw{self.draw}" if self.draw else "") + (".whole" if self.whole else "")
        return f"results/{self.engine}/{device}/{self.workload}/{self.launch}/{self.config}.{how}.json"


@dataclass(frozen=True)
class Plan:
    """A checked study.

    sample:   of launches on the whole GPU, time some waves of blocks.
    batches:  (engine, workload, launch, selection) -> the runs that go together in one process; each run is in one.
    configs:  name -> the validated configuration, the baseline first, simconfigs/ and sweep points alike.
    launches: (workload, folder name) -> the launch.
    further:  batch -> axis -> runs with more and more of it, which happen for the axis that a design shows to be worth most.
    """

    study: Study
    sample: bool
    root: Path
    batches: dict[tuple[str, str, str, str], list[Run]]
    configs: dict[str, SimConfig]
    launches: dict[tuple[str, str], Launch]
    further: dict[tuple[str, str, str, str], dict[str, list[Run]]]

    @property
    def runs(self) -> list[Run]:
        return [run for batch in self.batches.values() for run in batch]

    @cached_property
    def results(self) -> list[str]:
        return [run.path(self.study.device) for run in self.runs]

    @property
    def done(self) -> list[str]:
        """The files that mark finished batches."""
        return [
            f"results/{engine}/{self.study.device}/{workload}/{launch}/{selection}.done"
            for engine, workload, launch, selection in self.batches
        ]

    @cached_property
    def clocks(self) -> dict[tuple[str, str, str, str], int]:
        """(folder under traces/, workload, launch, cache) -> MHz that the SMs ran at when the launch was measured."""
        if self.study.clock == "config":
            return {}
        return {
            (gpu, Path(file).parent.name, *row): mhz
            for gpu in (self.study.tables, *self.elsewhere)
            for file in self.tables(gpu)
            for row, mhz in read_measured(self.root / file).clocks.items()
        }

    def clock(self, run: Run) -> int | None:
        """MHz of a run when these are not its configuration's.

        A configuration that is named like a folder of traces/ runs as that GPU did, others as the one compared with.
        """
        if run.sms:
            return None
        gpu = run.config if run.config in self.elsewhere else self.study.tables
        return self.clocks.get((gpu, run.workload, run.launch, run.cache))

    @property
    def workloads(self) -> list[str]:
        return sorted({workload for workload, _ in self.launches})

    @property
    def measured(self) -> list[str]:
        """Measured tables of the workloads in the plan, as far as there are any."""
        return self.tables(self.study.tables)

    @property
    def elsewhere(self) -> dict[str, list[str]]:
        """Those of other GPUs that configurations are named after."""
        others = {gpu: self.tables(gpu) for gpu in self.configs if gpu != self.study.tables}
        return {gpu: files for gpu, files in others.items() if files}

    def tables(self, gpu: str) -> list[str]:
        """Measured tables of the plan's launches on `gpu`: the one that they were captured on, or another."""
        files = [f"{measured_folder(self.study.device, gpu)}/{workload}/measured.csv" for workload in self.workloads]
        return [file for file in files if (self.root / file).is_file()]

    def samples(self, run: Run) -> bool:
        """Whether only some of the run's blocks are timed, as far as that pays."""
        return self.sample and not run.blocks and not run.whole

    def key(self, run: Run) -> str:
        """Hash of all that a run's result depends on.

        Sources and disassembler, configuration, the files of the launch (of a warm one those of the launches before it
        too), sampling and clock; of a part of the GPU the baseline too, around whose piece every other lies.
        """
        launch = self.launches[run.workload, run.launch]
        launches = [launch]
        if run.cache == "warm":
            from ssmsim.study.before import ran_before  # the engine takes a second to load

            launches += ran_before(launch, self.configs[run.config].l2.bytes)
        configs = [run.config, self.study.baseline] if run.sms else [run.config]
        whole = f"{run.cache} {self.samples(run)} {run.blocks} {self.clock(run)} {run.draw}"
        how = f"{run.sms} {run.waves}" if run.sms else whole
        parts = [
            digest(run.engine),
            *(self.config_digests[name] for name in configs),
            *map(launch_digest, launches),
            how,
        ]
        return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:32]

    def identity(self, engine: str, workload: str, launch: str, selection: str) -> str:
        """What a batch simulates and the keys of its results: when this changes, the batch runs again."""
        return " ".join(
            f"{Path(run.path('')).stem}:{self.key(run)}" for run in self.batches[engine, workload, launch, selection]
        )

    @cached_property
    def config_digests(self) -> dict[str, str]:
        return {name: config_digest(config) for name, config in self.configs.items()}


PART_ENGINES = ("embedded",)  # those that can time a piece of a launch


def make_plan(file: Path | str, root: Path | str = ".", sample: object = None) -> Plan:
    """Check a study file against the launches, configurations and engines under `root`.

    sample: true or false in place of the study's; None: the study's.

    Raises SsmsimError, one line, for a launch, configuration, field, axis or engine that does not exist, a name that is
    none, files outside their folder, a selection that comes out empty or with too many runs, and a launch captured on
    another GPU than the configuration describes.
    """
    root = Path(root)
    check_name(Path(file).stem, "study", file)
    study = read_study(root / file)
    if sample is not None and str(sample).lower() not in ("true", "false"):
        raise SsmsimError(f"sample={sample} is neither true nor false", "--config", "give one of the two")
    if study.accelsim_root:
        os.environ["ACCELSIM_ROOT"] = study.accelsim_root  # where the engine looks, here and in the jobs
    for engine in study.engines:
        if engine not in engine_names():
            raise SsmsimError(f"field engines: no engine {engine!r}", file, f"choose of {', '.join(engine_names())}")
        if engine not in PART_ENGINES:
            open_engine(engine).digest()  # a program of its own says here how to get it when it is not installed
    sampled = study.sample if sample is None else str(sample).lower() == "true"
    chosen = _Chosen(study, root, file, sampled)
    for name, selection in study.selections.items():
        chosen.add(name, selection)
    for workload in sorted({workload for workload, _ in chosen.launches}) if study.measured_on else []:
        table = f"{measured_folder(study.device, study.tables)}/{workload}/measured.csv"
        if not (root / table).is_file():
            what = f"field measured_on: no {table}"
            raise SsmsimError(what, file, "`ssmsim measure --captured` makes it, on a GPU")
    plan = Plan(study, sampled, root, chosen.batches, chosen.configs, chosen.launches, chosen.further)
    for path in plan.results:
        check_file_name(path, file)
    _ = plan.clocks  # a table that is wrong is missed now, not in a job
    return plan


class _Chosen:
    """What the selections of a study ask for, as they are added one by one: configs, launches and batches of a Plan."""

    def __init__(self, study: Study, root: Path, file: Path | str, sampled: bool) -> None:
        self.study, self.root, self.file, self.sampled = study, root, file, sampled
        self.configs = {study.baseline: _config(root, study.baseline, "baseline", file)}
        self.launches: dict[tuple[str, str], Launch] = {}
        self.batches: dict[tuple[str, str, str, str], list[Run]] = {}
        self.further: dict[tuple[str, str, str, str], dict[str, list[Run]]] = {}
        self.taken: set[Run] = set()
        self.runs = 0

    def add(self, name: str, selection: Selection) -> None:
        """Raises SsmsimError for what does not exist, does not go together or is too much."""
        field, study = f"selections.{name}", self.study
        for config in selection.configs:
            if config not in self.configs:
                self.configs[config] = _config(self.root, config, f"{field}.configs", self.file)
        launches = _launches(self.root, study.device, selection.launches, field, self.file)
        each = count(selection) * len(selection.caches) * len(study.engines) * selection.draws
        self.runs += len(launches) * each
        if self.runs > MOST_RUNS:
            what = f"field {field}: {self.runs:,} simulations, at most {MOST_RUNS:,} make a study"
            raise SsmsimError(what, self.file, "select fewer launches, configurations or factors")
        points = self._named_points(selection)
        for (workload, launch), description in launches.items():
            for point in points:
                self._check(description, point, f"{workload}/{launch}", field, selection)
            self._batch(name, selection, workload, launch, points)
        self.launches |= launches

    def _named_points(self, selection: Selection) -> list[str]:
        """Names of all configurations that a selection's launches run under, the baseline's first."""
        points = [self.study.baseline, *selection.configs]  # what every speed-up refers to
        baseline = self.configs[self.study.baseline]
        for steps in steps_of(selection):
            points.append(point := name_of(steps, self.study))
            if point not in self.configs:
                self.configs[point] = sweep_point(self.study, baseline, point, steps, self.file)
        for rule in selection.without:
            points.append(point := OFF + rule)
            if point not in self.configs:
                values = self.study.rules[rule]
                self.configs[point] = with_values(self.study, baseline, point, values, f"rules.{rule}", self.file)
        for axis, factor in until(selection):
            point = name_of({axis: factor}, self.study)
            if point not in self.configs:
                self.configs[point] = sweep_point(self.study, baseline, point, {axis: factor}, self.file)
        return points

    def _check(self, launch: Launch, point: str, where: str, field: str, selection: Selection) -> None:
        config = self.configs[point]
        _same_gpu(launch, self.study, config, point, where, self.file)
        if selection.part and selection.part.sms > config.sm_count:
            what = f"field {field}.part.sms: {selection.part.sms}, {point} has {config.sm_count} SMs"
            raise SsmsimError(what, self.file, "give fewer, or leave part out for the whole GPU")
        placed = config.launch.schedule != "dynamic" or config.launch.rasterization_width
        if placed and (selection.part or (self.sampled and not selection.whole)):
            what = f"field {field}: configuration {point} places every block, and a sample or a part has only some"
            raise SsmsimError(what, self.file, "write `whole: true`, or `sample: false` for the study")

    def _batch(self, name: str, selection: Selection, workload: str, launch: str, points: list[str]) -> None:
        """One batch per engine, of the runs that no selection before has asked for."""
        part = (selection.part.sms, selection.part.waves) if selection.part else (0, 0.0)
        for engine in PART_ENGINES if selection.part else self.study.engines:
            some = product(points, selection.caches, range(selection.draws))
            how = (*part, selection.blocks or 0)
            runs = [Run(engine, workload, launch, p, cache, *how, draw, selection.whole) for p, cache, draw in some]
            fresh = [run for run in dict.fromkeys(runs) if run not in self.taken]
            self.taken |= set(fresh)
            if fresh:
                self.batches[engine, workload, launch, name] = fresh
                for axis, factor in until(selection):
                    more = Run(engine, workload, launch, name_of({axis: factor}, self.study), selection.caches[0], *how)
                    self.further.setdefault((engine, workload, launch, name), {}).setdefault(axis, []).append(more)


def measured_folder(device: str, gpu: str) -> str:
    """Where the measured tables of launches captured on `device` lie: beside them, or those of another GPU apart."""
    return f"traces/{device}" if gpu == device else f"traces/{device}/measured_on_{gpu}"


def _config(root: Path, name: str, field: str, file: Path | str) -> SimConfig:
    if not (root / "simconfigs" / f"{name}.yaml").is_file():
        there = ", ".join(sorted(path.stem for path in (root / "simconfigs").glob("*.yaml")))
        raise SsmsimError(f"field {field}: no configuration {name!r}", file, f"simconfigs/ has {there or 'none'}")
    for part in chain(root / "simconfigs" / f"{name}.yaml"):
        check_inside(part, root / "simconfigs", f"configuration {name}: {part}", file)
    return load(root / "simconfigs" / f"{name}.yaml")


def _launches(
    root: Path, device: str, wanted: dict[str, list[str]], field: str, file: Path | str
) -> dict[tuple[str, str], Launch]:
    found: dict[tuple[str, str], Launch] = {}
    for workload, patterns in wanted.items():
        folder = root / "traces" / device / workload
        check_inside(folder, root / "traces" / device, f"workload {workload}", file)
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
            found |= {(workload, name): _launch(folder / check_name(name, "launch folder", folder)) for name in names}
    if not found:
        raise SsmsimError(f"field {field}.launches: selects no launch", file, 'give a pattern, "*" for all')
    return found


def _launch(folder: Path) -> Launch:
    """A launch whose files lie beside it or in another workload of the device, which has the same cubins."""
    check_inside(folder, folder.parent, f"launch {folder.name}", folder)
    launch = read_launch(folder)
    contents = [(f"contents of {buffer.name}", buffer.contents) for buffer in launch.buffers if buffer.contents]
    for what, name in [("cubin", launch.cubin), *contents]:
        if Path(name).is_absolute():
            raise SsmsimError(
                f"{what} {name!r} is an absolute path", folder / "launch.json", "copy it beside the launch"
            )
        check_inside(folder / name, folder.parents[1], f"{what} {name!r}", folder / "launch.json")
    return launch


def _same_gpu(launch: Launch, study: Study, config: SimConfig, name: str, where: str, file: Path | str) -> None:
    capability = ".".join(str(part) for part in launch.device.compute_capability)
    if capability != config.gpu.compute_capability or study.device.upper() not in launch.device.name.upper():
        raise SsmsimError(
            f"launch {where} was captured on {launch.device.name} ({capability}), not on device {study.device} with "
            f"the {config.gpu.compute_capability} that configuration {name} describes",
            file,
            "capture it there or name another configuration",
        )
    if not study.cross_device and not same_device(launch, config):
        what = (
            f"launch {where} was captured on {launch.device.name}, configuration {name} describes the {config.gpu.name}"
        )
        raise SsmsimError(what, file, "name a configuration of that GPU, or write `cross_device: true`")
