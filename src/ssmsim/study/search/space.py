"""The configurations that a search may choose from: every combination of factors, with its configuration and its area."""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import prod
from pathlib import Path

from pydantic import ValidationError

from ssmsim.config.schema import SimConfig
from ssmsim.cost.area import difference, numbers
from ssmsim.cost.figures import Costs
from ssmsim.cost.interval import Interval
from ssmsim.errors import SsmsimError
from ssmsim.study.names import check_file_name
from ssmsim.study.points import point_name, scaled
from ssmsim.study.schema import MOST_POINTS
from ssmsim.study.search.schema import Search

Point = tuple[float, ...]  # a factor for each axis, in the order of the axes


@dataclass(frozen=True)
class Space:
    """axes, factors: see Search; factors ascend and hold 1. where: the search's file, for messages."""

    axes: dict[str, dict[str, float]]
    factors: dict[str, tuple[float, ...]]
    baseline: SimConfig
    costs: Costs
    where: str = ""
    _areas: dict[Point, Interval] = field(default_factory=dict, repr=False, compare=False)

    @property
    def start(self) -> Point:
        """The baseline."""
        return (1.0,) * len(self.axes)

    @property
    def largest(self) -> Point:
        """The largest factor of every axis."""
        return tuple(factors[-1] for factors in self.factors.values())

    @cached_property
    def points(self) -> list[Point]:
        return list(product(*self.factors.values()))

    def name(self, point: Point) -> str:
        """As a study names its sweep points: `vector@2+dram@1.5`."""
        return point_name(dict(zip(self.axes, point, strict=True)), self.baseline.name)

    def config(self, point: Point) -> SimConfig:
        """Raises SsmsimError when the factors contradict each other or leave what the model can hold."""
        values = self.baseline.model_dump()
        for fields, factor in zip(self.axes.values(), point, strict=True):
            for name, exponent in fields.items():
                group, _, leaf = name.partition(".")
                values[group][leaf] = scaled(values[group][leaf], factor, exponent)
        try:
            return SimConfig.model_validate(values | {"name": self.name(point)})
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            what = f"{place}: {first['msg']}" if place else first["msg"].removeprefix("Value error, ").replace("|", " ")
            raise SsmsimError(f"configuration {self.name(point)}: {what}", self.where, "choose other factors") from None

    def area(self, point: Point) -> Interval:
        """mm2 more than the baseline."""
        if point not in self._areas:
            self._areas[point] = difference(self.costs, self.baseline, self.config(point)).mm2
        return self._areas[point]


def make_space(search: Search, baseline: SimConfig, costs: Costs, where: str = "") -> Space:
    """Check every axis and every combination before anything runs.

    Raises SsmsimError for a field that the baseline does not have as a number or whose cost nobody knows, for more than
    MOST_POINTS combinations, and for one that is no valid configuration.
    """
    known = numbers(baseline)
    for axis, fields in search.axes.items():
        for name in fields:
            if name not in known or "." not in name:
                raise SsmsimError(
                    f"field axes.{axis}: {baseline.name} has no number {name!r}", where, "see simconfigs/"
                )
            if not costs.resources_of(name):
                what = f"field axes.{axis}: no cost is known for {name}"
                raise SsmsimError(
                    what, where, "leave it out, or give its area and source in src/ssmsim/cost/costs.yaml"
                )
    factors = {axis: tuple(sorted({1.0, *map(float, search.factors[axis])})) for axis in search.axes}
    size = prod(map(len, factors.values()))
    if size > MOST_POINTS:
        raise SsmsimError(
            f"field factors: {size:,} configurations, at most {MOST_POINTS:,}", where, "give fewer factors"
        )
    if size < 2:
        raise SsmsimError("field factors: no configuration beside the baseline", where, "give a factor other than 1")
    space = Space(dict(search.axes), factors, baseline, costs, where)
    for point in space.points:
        space.config(point)
    check_file_name(str(Path(space.name(space.largest) + ".sampled.json")), where)
    return space
