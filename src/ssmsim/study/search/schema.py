"""A search's file: what may be scaled, by how much, what is to be reached, and how much may be simulated for it."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ssmsim.config.yaml_reader import read_yaml
from ssmsim.errors import SsmsimError
from ssmsim.study.schema import Exponent, Factor, Name, Once

MOST_FACTORS, MOST_BUDGET, MOST_PARALLEL = 64, 10_000, 1024
MARK = "budget"  # a key that a search's file has and a study's has not


class Search(BaseModel):
    """device: folder under traces/. baseline: what the axes scale, speed-ups and areas refer to. engine: who replays.

    cross_device: launches may have been captured on another GPU than the baseline describes.
    launches: workload -> patterns over its launch folders' names; the speed-up is that of all of them one after another.
    axes:     name -> {config field: exponent}; a factor f multiplies the baseline's value by f ** exponent. No field is in two.
    factors:  name of each axis -> what it may be scaled by. 1, the baseline's own, is always allowed.
    target:   speed-up to be reached at the least area; without it, the front of speed-up against area is sought.
    budget:   configurations that the search may simulate, and random search again as many, each for every launch. Baseline and
              largest configuration, which both start from, do not count.
    parallel: configurations that are chosen before the first of them is simulated; what the search finds depends on it, not
              on the number of cores.
    verify:   how many configurations may be simulated again whole, the cheapest first, until one reaches the target.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    device: Name
    baseline: Name
    engine: Name = "embedded"
    cross_device: bool = False
    launches: dict[Name, Annotated[list[str], Once]] = Field(min_length=1)
    axes: dict[Name, Annotated[dict[str, Exponent], Field(min_length=1)]] = Field(min_length=1)
    factors: dict[Name, Annotated[list[Factor], Field(min_length=1, max_length=MOST_FACTORS), Once]] = Field(
        min_length=1
    )
    target: Annotated[float, Field(gt=1, le=1024)] | None = None
    budget: Annotated[int, Field(ge=1, le=MOST_BUDGET)]
    parallel: Annotated[int, Field(ge=1, le=MOST_PARALLEL)] = 2
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    verify: Annotated[int, Field(ge=1, le=100)] = 3

    @model_validator(mode="after")
    def _disjoint(self) -> Self:
        owner: dict[str, str] = {}
        for axis, fields in self.axes.items():
            for field in fields:
                if field in owner:
                    raise ValueError(f"axes.{axis}: overlaps axis {owner[field]}, both scale {field}")
                owner[field] = axis
        return self

    @model_validator(mode="after")
    def _factors_of_axes(self) -> Self:
        for axis in self.factors:
            if axis not in self.axes:
                raise ValueError(f"factors.{axis}: no such axis, axes has {', '.join(self.axes)}")
        for axis in self.axes:
            if axis not in self.factors:
                raise ValueError(f"factors: none for axis {axis}")
        return self


def is_search(path: Path | str) -> bool:
    """Whether a file is a search's rather than a study's. A file that cannot be read is none: its reader says why."""
    try:
        root = read_yaml(path)
    except SsmsimError:
        return False
    return isinstance(root.value, dict) and MARK in root.value


def read_search(path: Path | str) -> Search:
    """Read and validate a search's file. Raises SsmsimError naming file, line and field."""
    root = read_yaml(path, "name a search's file, such as analysis/search.yaml")
    try:
        return Search.model_validate(root.plain())
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "search"
        given = f", not {str(first['input'])[:40]!r}" if first["msg"].startswith("Input should") else ""
        what = f"field {field}: {first['msg'].removeprefix('Value error, ')}{given}"
        raise SsmsimError(what, f"{path}:{root.line_of(first['loc'])}", "mend it") from None
