"""The two searches, over any function that gives speed-ups: Optuna's TPE, and random search as the baseline.

Both are functions of the seed and of `parallel` alone. So a search that was killed goes on by being run again: it asks for the
same points in the same order, and those that have a stored result cost nothing.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ssmsim.study.search.space import Point, Space

Speedups = Callable[[Sequence[Point]], Sequence[float]]  # of configurations, over the baseline, in order
IDLE = 3  # times that the sampler may ask for nothing new before a new point is drawn for it


@dataclass
class Known:
    """What one search knows. target: speed-up sought, None for the front. order: points it paid for, as they came."""

    space: Space
    target: float | None
    speedups: dict[Point, float]
    order: list[Point] = field(default_factory=list)

    @property
    def best(self) -> Point | None:
        """The cheapest configuration that reaches the target; None where none does, and without a target."""
        if self.target is None:
            return None
        good = [point for point, speed in self.speedups.items() if speed >= self.target]
        return min(good, key=lambda point: (self.space.area(point).value, point), default=None)

    def worth(self, point: Point) -> bool:
        """Whether its simulation can change the answer: not simulated yet, and cheaper than what already reaches the target."""
        if point in self.speedups:
            return False
        return self.best is None or self.space.area(point).value < self.space.area(self.best).value

    def left(self) -> list[Point]:
        return [point for point in self.space.points if self.worth(point)]

    def buy(self, points: Sequence[Point], speedups: Speedups) -> None:
        """Simulate points, which are new and different from each other."""
        for point, speed in zip(points, speedups(points) if points else [], strict=True):
            self.speedups[point] = speed
            self.order.append(point)


def random_search(known: Known, speedups: Speedups, budget: int, parallel: int, seed: int) -> Iterator[int]:
    """Points in random order, none twice, those that cannot change the answer left out. Yields how many were bought."""
    order = list(known.space.points)
    random.Random(seed).shuffle(order)
    while len(known.order) < budget:
        chosen = [point for point in order if known.worth(point)][: min(parallel, budget - len(known.order))]
        if not chosen:
            return
        known.buy(chosen, speedups)
        yield len(known.order)


def tpe_search(known: Known, speedups: Speedups, budget: int, parallel: int, seed: int) -> Iterator[int]:
    """Optuna's tree-structured Parzen estimator: least area with the target as a constraint, or both at once without one.

    A point that it asks for and that cannot change the answer is told as it is known, or as too large, and costs nothing.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    space, axes = known.space, list(known.space.axes)
    sampler = optuna.samplers.TPESampler(seed=seed)
    if known.target is None:
        study = optuna.create_study(directions=["minimize", "maximize"], sampler=sampler)
    else:
        study = optuna.create_study(direction="minimize", sampler=sampler)
    ranges: dict[str, optuna.distributions.BaseDistribution] = {
        axis: optuna.distributions.IntDistribution(0, len(space.factors[axis]) - 1) for axis in axes
    }
    draw = random.Random(seed)

    def enqueue(point: Point) -> None:
        study.enqueue_trial({axis: space.factors[axis].index(factor) for axis, factor in zip(axes, point, strict=True)})

    def tell(trial: "optuna.Trial", point: Point) -> None:
        mm2, speed = space.area(point).value, known.speedups.get(point)
        if known.target is None:
            assert speed is not None
            study.tell(trial, [mm2, speed])
        else:
            trial.set_constraint("speedup", 0.0 if speed is None else known.target - speed)
            study.tell(trial, mm2)

    starts = list(known.speedups)  # baseline and largest
    for point in starts:
        enqueue(point)
    idle = 0
    while len(known.order) < budget and (left := known.left()):
        if idle >= IDLE:
            enqueue(draw.choice(left))
        asked = []
        for _ in range(len(starts) or min(parallel, budget - len(known.order))):
            trial = study.ask(ranges)
            asked.append((trial, tuple(space.factors[axis][trial.params[axis]] for axis in axes)))
        starts = []
        fresh = [point for point in dict.fromkeys(point for _, point in asked) if known.worth(point)]
        idle = 0 if fresh else idle + 1
        known.buy(fresh, speedups)
        for trial, point in asked:
            tell(trial, point)
        if fresh:
            yield len(known.order)
