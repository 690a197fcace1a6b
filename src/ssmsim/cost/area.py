"""Area and power of a configuration's resources, and how they differ from another configuration's."""

from collections.abc import Iterable
from dataclasses import dataclass

from ssmsim.config.load import GROUPS
from ssmsim.config.schema import SimConfig
from ssmsim.cost.figures import Costs, Resource
from ssmsim.cost.formula import evaluate, names
from ssmsim.cost.interval import NOTHING, Interval


@dataclass(frozen=True)
class Part:
    """One resource: how many the baseline has and the configuration has, and the difference that makes.

    mm2: area; static, busy: W that it takes when nothing and when everything of it is used (busy None: no figure).
    """

    name: str
    unit: str
    before: float
    after: float
    mm2: Interval
    static: Interval
    busy: Interval | None


@dataclass(frozen=True)
class Difference:
    """parts: resources whose numbers differ. unknown: fields that differ, and whose cost nobody knows."""

    parts: list[Part]
    unknown: list[str]

    @property
    def mm2(self) -> Interval:
        return total(part.mm2 for part in self.parts)

    @property
    def static(self) -> Interval:
        return total(part.static for part in self.parts)

    @property
    def busy(self) -> Interval:
        """Of the resources that have a figure for it."""
        return total(part.busy for part in self.parts if part.busy is not None)


def total(intervals: Iterable[Interval]) -> Interval:
    result = NOTHING
    for interval in intervals:
        result = result + interval
    return result


def numbers(config: SimConfig) -> dict[str, float]:
    """Every numeric field by group.field, and sms and gpcs."""
    found = {"sms": float(config.sm_count), "gpcs": float(len(config.gpu.sms_per_gpc))}
    for group in GROUPS:
        for name, value in getattr(config, group):
            if isinstance(value, int | float) and not isinstance(value, bool):
                found[f"{group}.{name}"] = float(value)
    return found


def counts(costs: Costs, config: SimConfig) -> dict[str, float]:
    """How many of each resource a configuration has."""
    known = numbers(config)
    return {name: evaluate(resource.count, known) for name, resource in costs.resources.items()}


def whole(costs: Costs, config: SimConfig) -> dict[str, Interval]:
    """mm2 of every resource of a configuration."""
    there = counts(costs, config)
    return {name: costs.area(resource) * there[name] for name, resource in costs.resources.items()}


def difference(costs: Costs, baseline: SimConfig, config: SimConfig) -> Difference:
    """What a configuration costs more than its baseline."""
    before, after = counts(costs, baseline), counts(costs, config)
    parts = []
    for name, resource in costs.resources.items():
        busy = _busy(costs, resource, before[name], after[name], baseline, config)
        if after[name] != before[name] or (busy is not None and busy != NOTHING):
            mm2 = costs.area(resource) * (after[name] - before[name])
            static = _scaled(mm2, costs.static.interval)
            parts.append(Part(name, resource.unit, before[name], after[name], mm2, static, busy))
    return Difference(parts, unknown(costs, baseline, config))


def _scaled(mm2: Interval, per: Interval) -> Interval:
    """An area, which may be negative, times W per mm2."""
    if mm2.low >= 0:
        return mm2.times(per)
    return (mm2 * -1).times(per) * -1


def _busy(costs: Costs, resource: Resource, before: float, after: float, baseline: SimConfig,
          config: SimConfig) -> Interval | None:  # fmt: skip
    """W more at full use; None without a figure."""
    if resource.energy is None or resource.uses_per_second is None:
        return None
    rates = [evaluate(resource.uses_per_second, numbers(one)) for one in (baseline, config)]
    return costs.energies[resource.energy].pj.interval * (1e-12 * (after * rates[1] - before * rates[0]))


def unknown(costs: Costs, baseline: SimConfig, config: SimConfig) -> list[str]:
    """Fields whose values differ without a figure for what that costs."""
    priced = {field for resource in costs.resources.values() for field in resource.fields}
    priced |= {name for resource in costs.resources.values() for name in names(resource.uses_per_second or "0")}
    priced |= {"gpu.sms_per_gpc"}  # sms and gpcs
    return [
        f"{group}.{name}"
        for group in GROUPS
        for name, value in getattr(config, group)
        if value != getattr(getattr(baseline, group), name) and f"{group}.{name}" not in priced | {"gpu.name"}
    ]
