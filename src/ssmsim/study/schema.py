"""The study's config file: what to simulate, as data. Unknown keys, empty selections and bad factors are errors."""

import re
from collections.abc import Hashable, Sequence
from itertools import combinations
from math import prod
from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from ssmsim.config.yaml_reader import read_yaml
from ssmsim.errors import SsmsimError
from ssmsim.study.names import ALLOWED, PATTERN

Cache = Literal["cold", "warm"]


def _name(name: str) -> str:
    if not re.fullmatch(PATTERN, name):
        raise ValueError(f"{name!r} is not a name: {ALLOWED}")
    return name


Name = Annotated[str, AfterValidator(_name)]
Factor = Annotated[float, Field(gt=0, le=1024)]
Value = bool | int | float | str | list[int]
Exponent = Annotated[float, Field(ge=-4, le=4)]
Item = TypeVar("Item", bound=Hashable)
MOST_POINTS = 4096  # of one sweep: a plane of 64 x 64
MOST_RUNS = 100_000  # of a study: a day on 16 cores at a second each


def _once(items: Sequence[Item]) -> Sequence[Item]:
    """Refuses an item that a list has twice: a slip, or a run that seems to happen twice."""
    for place, item in enumerate(items):
        if item in items[:place]:
            raise ValueError(f"{item!r} is there twice")
    return items


Once = AfterValidator(_once)
OFF = "off-"  # of the baseline without a rule
AT, AND = "@", "+"  # a sweep point is named "vector@2+dram@1.5": file names, and what the figures parse


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class Part(_Strict):
    """A part of the GPU on a piece of the launch: `sms` SMs with their share of the rest, filled `waves` times.

    What the piece gives is extrapolated to the launch on the whole GPU (ssmsim.study.part, the engine's window), by the
    rate from the second wave's first block to the last block's start. Blocks that run in step all start at once: the
    piece must reach well into a third wave, or that time would be a moment between two.
    """

    sms: Annotated[int, Field(ge=2, multiple_of=2)]
    waves: Annotated[float, Field(ge=2.25, le=100)] = 2.5


class Design(_Strict):
    """A two-level factorial design over axes: each run has every axis at the baseline's value or `factor` times it.

    Rows of an orthogonal array of strength 3 (ssmsim.factorial): 24 runs for 9 to 12 axes, 16 for 5 to 8, 8 for up
    to 4.
    until: factors of the axis that turns out to be worth most, alone, until one brings next to nothing more.
    """

    axes: Annotated[list[Name], Field(min_length=2, max_length=12), Once]
    factor: Annotated[Factor, Field(gt=1)] = 2.0
    until: Annotated[list[Annotated[Factor, Field(gt=1)]], Once] = []

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        if self.until != sorted(self.until):
            raise ValueError("until must rise: each factor is tried when the one before still helped")
        return self


class Selection(_Strict):
    """Launches x (configs, sweep points and runs of a design) x caches x draws.

    launches: workload -> patterns over its launch folders' names ("*": all).
    configs:  names of files in simconfigs/, without .yaml; the baseline runs in any case.
    sweeps:   each a grid: axis -> factors on the baseline's values; one axis is a line, two a plane.
    without:  names of rules of the study, each a configuration OFF-NAME with that rule off.
    design:   a factorial design: what each axis is worth over all settings of the others, and with one of them relieved.
    draws:    so many runs of each, which differ in what is left to chance (engines.request.Request.seed): from how far they
              lie apart comes the interval of a speed-up.
    whole:    time every block, whatever the study says of sampling: what a sampled speed-up is held against.
    part:     simulate on a part of the GPU; without it, on the whole.
    blocks:   replay only the first so many thread blocks, on the whole GPU, and count only them: a fragment that a slow
              engine affords. It compares engines with each other; with the GPU only where the launch has no more.
    """

    launches: dict[Name, Annotated[list[str], Once]] = Field(min_length=1)
    configs: Annotated[list[Name], Once] = []
    sweeps: list[dict[Name, Annotated[list[Factor], Field(min_length=1, max_length=MOST_POINTS), Once]]] = []
    without: Annotated[list[Name], Once] = []
    design: Design | None = None
    caches: Annotated[list[Cache], Once] = Field(default=["cold"], min_length=1)
    draws: Annotated[int, Field(ge=1, le=64)] = 1
    whole: bool = False
    part: Part | None = None
    blocks: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not (self.configs or self.sweeps or self.without or self.design):
            raise ValueError("selects nothing: give configs, sweeps, a design or rules to be without")
        if (self.draws > 1 or self.whole) and (self.part is not None or self.blocks is not None):
            raise ValueError("draws and whole are of launches on the whole GPU: leave part and blocks out")
        if self.part is not None and self.caches != ["cold"]:
            raise ValueError("a part starts from what earlier blocks left: caches does not apply")
        if self.part is not None and self.blocks is not None:
            raise ValueError("give part or blocks, not both")
        for number, sweep in enumerate(self.sweeps):
            points = prod(len(factors) for factors in sweep.values())
            if not sweep or points > MOST_POINTS:
                what = f"has {points:,} points, at most {MOST_POINTS:,} run" if sweep else "has no axis"
                raise ValueError(f"sweeps.{number} {what}: give fewer axes or factors")
        return self


class Study(_Strict):
    """device: folder under traces/. baseline: what sweeps start from and speed-ups refer to. engines: who replays.

    measured_on: another GPU whose tables of the same launches take the place of the device's: those in
                traces/DEVICE/measured_on_GPU (`ssmsim measure --captured` makes them).
    cross_device: launches may run under configurations of another GPU than the device's; otherwise such a study is refused.
    accelsim_root: folder of Accel-Sim, in place of $ACCELSIM_ROOT.
    sample:     simulate some waves of thread blocks and estimate the whole; false: every block.
    clock:      of the SMs in runs on the whole GPU: `measured`, each launch as its measurement ran (the GPU slows the
                tensor-heavy ones to stay within its power), or `config`. Parts of the GPU run at the configuration's.
    held_out:   workloads from which no value of the model was set, though some led to rules: shown apart from the others.
    axes:       name -> {config field: exponent}; a factor f multiplies the baseline's value by f ** exponent.
    rules:      name -> {config field: value with which that rule of the model has no effect}.
    selections: name -> Selection; a run that several of them ask for happens once.
    """

    device: Name
    measured_on: Name | None = None
    cross_device: bool = False
    baseline: Name
    engines: Annotated[list[Name], Once] = Field(min_length=1)
    accelsim_root: str | None = None
    sample: bool = True
    clock: Literal["measured", "config"] = "config"
    held_out: Annotated[list[Name], Once] = []
    axes: dict[Name, Annotated[dict[str, Exponent], Field(min_length=1)]] = {}
    rules: dict[Name, Annotated[dict[str, Value], Field(min_length=1)]] = {}
    selections: dict[Name, Selection] = Field(min_length=1)

    @property
    def tables(self) -> str:
        """Folder under traces/ with the measured tables."""
        return self.measured_on or self.device

    @model_validator(mode="after")
    def _known_workloads(self) -> Self:
        used = {workload for selection in self.selections.values() for workload in selection.launches}
        for workload in self.held_out:
            if workload not in used:
                raise ValueError(f"held_out: no selection has the workload {workload!r}")
        return self

    @model_validator(mode="after")
    def _known_axes(self) -> Self:
        for name, selection in self.selections.items():
            for rule in selection.without:
                if rule not in self.rules:
                    raise ValueError(f"selections.{name}.without: no rule {rule!r}, rules has {', '.join(self.rules)}")
            designed = selection.design.axes if selection.design else []
            for part, axes in (("sweeps", {a for sweep in selection.sweeps for a in sweep}), ("design.axes", designed)):
                for axis in axes:
                    if axis not in self.axes:
                        raise ValueError(f"selections.{name}.{part}: no axis {axis!r}, axes has {', '.join(self.axes)}")
            for first, second in combinations(designed, 2):
                both = sorted(self.axes[first].keys() & self.axes[second].keys())
                if both:
                    what = f"axes {first} and {second} both have {both[0]}: what each is worth could not be told apart"
                    raise ValueError(f"selections.{name}.design: {what}")
        return self


def read_study(path: Path | str) -> Study:
    """Read and validate the study's file. Raises SsmsimError naming file, line and field."""
    try:
        root = read_yaml(path, "name one with --config study=FILE")
    except SsmsimError as error:
        if error.what == "no such file":
            raise SsmsimError("no such study file", path, error.todo) from None
        raise
    try:
        return Study.model_validate(root.plain())
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "study"
        given = f", not {str(first['input'])[:40]!r}" if first["msg"].startswith("Input should") else ""
        what = f"field {field}: {first['msg'].removeprefix('Value error, ')}{given}"
        raise SsmsimError(what, f"{path}:{root.line_of(first['loc'])}", "mend it") from None
