"""Reads the cost data, costs.yaml beside this file, and checks that each figure says where it comes from."""

from functools import cache
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ssmsim.config.yaml_reader import read_yaml
from ssmsim.cost.formula import names
from ssmsim.cost.interval import Interval
from ssmsim.errors import SsmsimError

FILE = Path(__file__).with_name("costs.yaml")
Kind = Literal["paper", "measured", "assumption"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Range(_Strict):
    low: float = Field(ge=0)
    value: float = Field(ge=0)
    high: float = Field(gt=0)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.low <= self.value <= self.high:
            raise ValueError("low, value and high do not ascend")
        return self

    @property
    def interval(self) -> Interval:
        return Interval(self.low, self.value, self.high)


class Sourced(Range):
    """A figure that stands alone."""

    kind: Kind
    source: str = Field(min_length=1)
    unit: str = ""


class Process(_Strict):
    name: str
    transistors_per_mm2: Sourced


class Die(_Strict):
    """mm2 of the whole die. covered_share: of it that the resources of an H100 claim to add up to, from and to."""

    mm2: float
    covered_share: tuple[float, float]
    source: str


class Counted(_Strict):
    """count: formula of how many there are. kind, source: of the figure for each."""

    count: str
    kind: Kind
    source: str = Field(min_length=1)

    @model_validator(mode="after")
    def _formulas(self) -> Self:
        names(self.count)
        return self


class Resource(Counted):
    """Hardware that a configuration has `count` of, in `unit`.

    transistors, mm2: of one; one of the two is given.
    energy:           what one use takes (a name under energies), uses_per_second: of one, at full use.
    """

    unit: str
    transistors: Range | None = None
    mm2: Range | None = None
    energy: str | None = None
    uses_per_second: str | None = None

    @model_validator(mode="after")
    def _one_area(self) -> Self:
        if (self.transistors is None) == (self.mm2 is None):
            raise ValueError("give transistors or mm2")
        if (self.energy is None) != (self.uses_per_second is None):
            raise ValueError("energy and uses_per_second go together")
        return self

    @property
    def fields(self) -> list[str]:
        """The configuration's fields that change its count, group.field."""
        return [name for name in names(self.count) if "." in name]


class Energy(Counted):
    """pJ of each that `count`, a formula of counters, counts. what: in words, where the name does not say it."""

    pj: Range
    what: str = ""


class Costs(_Strict):
    sources: dict[str, str]
    process: Process
    die: Die
    static: Sourced
    resources: dict[str, Resource]
    energies: dict[str, Energy]
    static_watts: Sourced

    @model_validator(mode="after")
    def _known_energies(self) -> Self:
        for name, resource in self.resources.items():
            if resource.energy is not None and resource.energy not in self.energies:
                raise ValueError(f"resources.{name}: no energy {resource.energy!r}")
        return self

    def area(self, resource: Resource) -> Interval:
        """mm2 of one."""
        if resource.mm2 is not None:
            return resource.mm2.interval
        assert resource.transistors is not None
        return resource.transistors.interval.over(self.process.transistors_per_mm2.interval)

    def resources_of(self, field: str) -> list[str]:
        """The resources whose count depends on a configuration's field, group.field; none: nobody knows its cost."""
        return [name for name, resource in self.resources.items() if field in resource.fields]


def read_costs(file: Path = FILE) -> Costs:
    """Raises SsmsimError naming file and field for a figure that is none."""
    root = read_yaml(file)
    try:
        return Costs.model_validate(root.plain())
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        what, where = first["msg"].removeprefix("Value error, "), f"{file}:{root.line_of(first['loc'])}"
        raise SsmsimError(f"field {field}: {what}", where, "mend it") from None


@cache
def costs() -> Costs:
    """Those of the package."""
    return read_costs()
