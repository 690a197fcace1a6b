"""A search from its file to its tables: what can be reached, both searches, the front, the winners simulated whole."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ssmsim.config.load import load
from ssmsim.cost.figures import costs
from ssmsim.errors import SsmsimError
from ssmsim.study.search.front import hypervolume, pareto
from ssmsim.study.search.launches import chosen_launches
from ssmsim.study.search.schema import Search, read_search
from ssmsim.study.search.simulations import Simulations, cycles
from ssmsim.study.search.space import Point, Space, make_space
from ssmsim.study.search.steps import Known, Speedups, random_search, tpe_search

METHODS = {"tpe": tpe_search, "random": random_search}
Ends = tuple[float, float, float]  # low, value, high


@dataclass
class Found:
    """What a search came to.

    speedups: every simulated point's, sampled, with the ends that the launches' 95 % intervals leave at most.
    known:    method -> what it knew at its end, with the order in which it paid for points.
    whole:    point -> its speed-up when all thread blocks are simulated; the points that were verified, in that order.
    """

    search: Search
    space: Space
    speedups: dict[Point, Ends]
    known: dict[str, Known] = field(default_factory=dict)
    whole: dict[Point, float] = field(default_factory=dict)

    @property
    def front(self) -> list[Point]:
        """Of all that any method simulated."""
        return pareto({point: self.place(point) for point in self.speedups})

    def place(self, point: Point) -> tuple[float, float]:
        return self.space.area(point).value, self.speedups[point][1]

    def found_by(self, point: Point) -> str:
        """Methods that paid for a point; "start" for what both began with."""
        return " and ".join(name for name, known in self.known.items() if point in known.order) or "start"

    @property
    def candidates(self) -> list[Point]:
        """Points to verify, the most promising first: those that reach the target by area, or a spread of the front."""
        verify, target = self.search.verify, self.search.target
        if target is None:
            rest = [point for point in self.front if point != self.space.start]
            step = max(1, -(-len(rest) // verify))
            return rest[step - 1 :: step][:verify]
        good = [point for point, ends in self.speedups.items() if ends[1] >= target]
        return sorted(good, key=lambda point: (self.space.area(point).value, point))[:verify]

    @property
    def winner(self) -> Point | None:
        """The cheapest that reaches the target when simulated whole; None where none does, and without a target."""
        target = self.search.target
        return next((p for p, speed in self.whole.items() if target is not None and speed >= target), None)

    def progress(self, name: str) -> list[float | None]:
        """After each point that a method paid for: the least area that reaches the target, or the front's hypervolume."""
        known, space = self.known[name], self.space
        seen = [point for point in known.speedups if point not in known.order]
        lines: list[float | None] = []
        for point in known.order:
            seen.append(point)
            if self.search.target is None:
                lines.append(hypervolume([self.place(one) for one in seen], space.area(space.largest).value, 1.0))
            else:
                good = [space.area(one).value for one in seen if known.speedups[one] >= self.search.target]
                lines.append(min(good, default=None))
        return lines


def check_reachable(search: Search, space: Space, speedup: float, where: str) -> None:
    """Raises SsmsimError when the largest configuration does not reach the target."""
    if search.target is not None and speedup < search.target:
        what = f"field target: {search.target:g} cannot be reached, the largest configuration, {space.name(space.largest)}, reaches {speedup:.3f}"
        raise SsmsimError(what, where, "give larger factors, other axes or a lower target")


def explore(found: Found, speedups: Speedups) -> Iterator[str]:
    """Run both searches from what `found.speedups` knows at the start. Yields a line after each round."""
    begin = {point: ends[1] for point, ends in found.speedups.items()}
    for name, method in METHODS.items():
        search = found.search
        known = found.known[name] = Known(found.space, search.target, dict(begin))
        for paid in method(known, speedups, search.budget, search.parallel, search.seed):
            best = known.best
            best_text = f", {found.space.name(best)} reaches the target" if best is not None else ""
            yield f"{name}: {paid} of {search.budget} configurations{best_text}"


class Explorer:
    """Speed-ups by simulation; keeps them with their ends in `found`."""

    def __init__(self, found: Found, simulations: Simulations) -> None:
        self.found, self.simulations = found, simulations

    def ends(self, points: Sequence[Point], sample: bool) -> list[Ends]:
        space = self.found.space
        results = self.simulations.results([space.config(point) for point in (space.start, *points)], sample)
        base, *rest = (cycles(each, self.simulations.occurrences) for each in results)
        return [(base[0] / high, base[1] / value, base[2] / low) for low, value, high in rest]

    def __call__(self, points: Sequence[Point]) -> list[float]:
        new = self.ends(points, True)
        self.found.speedups |= dict(zip(points, new, strict=True))
        return [ends[1] for ends in new]


def open_search(file: Path | str, root: Path = Path()) -> tuple[Search, Space, dict[tuple[str, str], Path]]:
    """A checked search: all that can be wrong with its file is said here."""
    search = read_search(root / file)
    path = root / "simconfigs" / f"{search.baseline}.yaml"
    if not path.is_file():
        there = ", ".join(sorted(one.stem for one in path.parent.glob("*.yaml")))
        raise SsmsimError(f"field baseline: no configuration {search.baseline!r}", file, f"simconfigs/ has {there}")
    baseline = load(path)
    launches = chosen_launches(search, baseline, root, str(file))
    return search, make_space(search, baseline, costs(), str(file)), launches


def run_search(file: Path | str, root: Path = Path(), cores: int = 1) -> Iterator[str | Found]:
    """Search as the file says; yields a line for each step, and Found at last.

    Results lie in results/searches/NAME/points under `root`.
    """
    search, space, launches = open_search(file, root)
    folder = root / "results/searches" / Path(file).stem
    with Simulations(folder / "points", launches, search.engine, cores) as simulations:
        found = Found(search, space, {space.start: (1.0, 1.0, 1.0)})
        explorer = Explorer(found, simulations)
        yield f"{len(space.points):,} configurations of {len(launches)} launches; the largest first"
        reached = explorer([space.largest])[0]
        check_reachable(search, space, reached, str(file))
        yield f"largest: {reached:.3f} times as fast, {space.area(space.largest).value:.1f} mm2 more"
        yield from explore(found, explorer)
        for point in found.candidates:
            found.whole[point] = explorer.ends([point], False)[0][1]
            yield f"whole: {space.name(point)} {found.whole[point]:.3f}, sampled {found.speedups[point][1]:.3f}"
            if found.winner is not None:
                break
        yield f"{simulations.made} simulations were run, the others were there"
        yield found
