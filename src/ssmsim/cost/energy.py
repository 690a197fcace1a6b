"""Energy of a launch from its counters: joules by class with their range, and what passes whatever it does apart."""

from collections.abc import Mapping
from dataclasses import dataclass

from ssmsim.cost.area import total
from ssmsim.cost.figures import Costs
from ssmsim.cost.formula import evaluate, names
from ssmsim.cost.interval import NOTHING, Interval

TIME = "gpu__time_duration.sum"  # ns


@dataclass(frozen=True)
class Spent:
    """Energy of one launch.

    classes: class (costs.yaml, energies) -> joules.
    static:  joules that the board takes in the launch's time even when idle; None without a time.
    seconds: the launch's time.
    missing: classes that could not be counted, with the counters that the row lacks: the sums are without them.
    """

    classes: dict[str, Interval]
    static: Interval | None
    seconds: float | None
    missing: dict[str, list[str]]

    @property
    def dynamic(self) -> Interval:
        return total(self.classes.values())

    @property
    def joules(self) -> Interval | None:
        """Dynamic and static together; None when a class or the time is missing."""
        return None if self.static is None or self.missing else self.dynamic + self.static

    @property
    def watts(self) -> Interval | None:
        """In the mean over the launch."""
        joules = self.joules
        return None if joules is None or not self.seconds else joules * (1 / self.seconds)


def energy(costs: Costs, counters: Mapping[str, float | None]) -> Spent:
    """Of a launch with these counters (ssmsim.counters), simulated or measured; a counter that is not had is None."""
    known = {name: value for name, value in counters.items() if value is not None}
    classes: dict[str, Interval] = {}
    missing: dict[str, list[str]] = {}
    for name, kind in costs.energies.items():
        lacking = [counter for counter in names(kind.count) if counter not in known]
        if lacking:
            missing[name] = lacking
            continue
        # A difference of counters can fall below 0: pipes count warps, classes the threads that a predicate lets through.
        count = max(evaluate(kind.count, known), 0.0)
        classes[name] = kind.pj.interval * (count * 1e-12) if count else NOTHING
    seconds = known[TIME] * 1e-9 if TIME in known else None
    static = costs.static_watts.interval * seconds if seconds is not None else None
    return Spent(classes, static, seconds, missing)
