"""The study's config file: what to simulate, as data. Unknown keys, empty selections and bad factors are errors."""

from pathlib import Path
from typing import Annotated, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ssmsim.errors import SsmsimError

Cache = Literal["cold", "warm"]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+$")]
Factor = Annotated[float, Field(gt=0, le=1024)]
AT, AND = "@", "+"  # a sweep point is named "vector@2+dram@1.5": file names, and what the figures parse


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Part(_Strict):
    """A part of the GPU on a piece of the launch: `sms` SMs with their share of the rest, filled `waves` times.

    What the piece gives is extrapolated to the launch on the whole GPU (ssmsim.study.part, the engine's window), by the
    rate from the second wave's first block to the last block's start. Blocks that run in step all start at once: the
    piece must reach well into a third wave, or that time would be a moment between two.
    """

    sms: Annotated[int, Field(ge=2, multiple_of=2)]
    waves: Annotated[float, Field(ge=2.25, le=100)] = 2.5


class Selection(_Strict):
    """Launches x (configs and sweep points) x caches.

    launches: workload -> patterns over its launch folders' names ("*": all).
    configs:  names of files in simconfigs/, without .yaml; the baseline runs in any case.
    sweeps:   each a grid: axis -> factors on the baseline's values; one axis is a line, two a plane.
    part:     simulate on a part of the GPU; without it, on the whole.
    blocks:   replay only the first so many thread blocks, on the whole GPU, and count only them: a fragment that a slow
              engine affords. It compares engines with each other; with the GPU only where the launch has no more.
    """

    launches: dict[Name, list[str]] = Field(min_length=1)
    configs: list[Name] = []
    sweeps: list[dict[Name, Annotated[list[Factor], Field(min_length=1)]]] = []
    caches: list[Cache] = Field(default=["cold"], min_length=1)
    part: Part | None = None
    blocks: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.configs and not self.sweeps:
            raise ValueError("selects nothing: give configs or sweeps")
        if self.part is not None and self.caches != ["cold"]:
            raise ValueError("a part starts from what earlier blocks left: caches does not apply")
        if self.part is not None and self.blocks is not None:
            raise ValueError("give part or blocks, not both")
        return self


class Study(_Strict):
    """device: folder under traces/. baseline: what sweeps start from and speed-ups refer to. engines: who replays.

    measured_on: folder under traces/ with measured tables of the same launches on another GPU, in place of the device's
                (`ssmsim measure --captured` makes them).
    accelsim_root: folder of Accel-Sim, in place of $ACCELSIM_ROOT.
    sample:     simulate some waves of thread blocks and estimate the whole; false: every block.
    clock:      of the SMs in runs on the whole GPU: `measured`, each launch as its measurement ran (the GPU slows the
                tensor-heavy ones to stay within its power), or `config`. Parts of the GPU run at the configuration's.
    held_out:   workloads from which no value of the model was set, though some led to rules: shown apart from the others.
    axes:       name -> {config field: exponent}; a factor f multiplies the baseline's value by f ** exponent.
    selections: name -> Selection; a run that several of them ask for happens once.
    """

    device: Name
    measured_on: Name | None = None
    baseline: Name
    engines: list[Name] = Field(min_length=1)
    accelsim_root: str | None = None
    sample: bool = True
    clock: Literal["measured", "config"] = "config"
    held_out: list[Name] = []
    axes: dict[Name, Annotated[dict[str, float], Field(min_length=1)]] = {}
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
            for axis in {axis for sweep in selection.sweeps for axis in sweep}:
                if axis not in self.axes:
                    raise ValueError(f"selections.{name}.sweeps: no axis {axis!r}, axes has {', '.join(self.axes)}")
        return self


def read_study(path: Path | str) -> Study:
    """Read and validate the study's file. Raises SsmsimError naming file and field."""
    try:
        return Study.model_validate(yaml.safe_load(Path(path).read_text()))
    except OSError:
        raise SsmsimError("no such study file", path, "name one with --config study=FILE") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise SsmsimError(f"not YAML: {error}", path, "mend the syntax") from None
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "study"
        raise SsmsimError(f"field {field}: {first['msg'].removeprefix('Value error, ')}", path, "mend it") from None
