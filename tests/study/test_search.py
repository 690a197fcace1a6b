"""The logic of a search, over an analytic speed-up: what it may cost, that it resumes, what its front and tables say."""

from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from small_study import TINY, Folder

from ssmsim.config.load import digest, load
from ssmsim.cost.figures import costs
from ssmsim.errors import SsmsimError
from ssmsim.study.points import name_of, sweep_point
from ssmsim.study.schema import read_study
from ssmsim.study.search.figures import write_figures
from ssmsim.study.search.front import beats, hypervolume, pareto
from ssmsim.study.search.run import METHODS, Found, check_reachable, explore, open_search
from ssmsim.study.search.schema import Search, is_search, read_search
from ssmsim.study.search.space import Point, Space, make_space
from ssmsim.study.search.steps import Known
from ssmsim.study.search.tables import steps, write_tables

ROOT = Path(__file__).parents[2]
H100 = load(ROOT / "simconfigs/h100.yaml")
AXES = {"fp32": {"sm.fp32_lanes_per_subcore": 1.0}, "shared": {"shared.wavefronts_per_cycle": 1.0},
        "registers": {"sm.registers": 1.0}, "dram": {"dram.peak_gb_per_s": 1.0}}  # fmt: skip
FACTORS = {"fp32": [1.0, 2.0], "shared": [2.0, 4.0], "registers": [2.0], "dram": [0.5, 2.0, 4.0]}
SHARES = (0.1, 0.4, 0.05, 0.3)  # of the time that each axis bounds: Amdahl's law, all else stays
SEARCH = {"device": "h100", "baseline": "h100", "launches": {"tiny": ["*"]}, "axes": AXES, "factors": FACTORS,
          "target": 1.4, "budget": 12, "parallel": 3, "seed": 7}  # fmt: skip


def a_search(**changes: object) -> Search:
    return Search.model_validate({name: value for name, value in (SEARCH | changes).items() if value is not None})


def a_space(search: Search | None = None) -> Space:
    return make_space(search or a_search(), H100, costs(), "search.yaml")


SPACE = a_space()


def speed(point: Point) -> float:
    return 1 / (1 - sum(SHARES) + sum(share / factor for share, factor in zip(SHARES, point, strict=True)))


class Stub:
    """speed(), counting what is asked for; raises KeyboardInterrupt after `most` points, as a kill does."""

    def __init__(self, found: Found, stored: dict[Point, float] | None = None, most: int = 10**9) -> None:
        self.found, self.stored, self.most, self.asked = found, {} if stored is None else stored, most, []

    def __call__(self, points: Sequence[Point]) -> list[float]:
        for point in points:
            self.asked.append(point)
            if point not in self.stored:
                if self.most == 0:
                    raise KeyboardInterrupt
                self.most -= 1
                self.stored[point] = speed(point)
            value = self.stored[point]
            self.found.speedups[point] = (value, value, value)
        return [self.stored[point] for point in points]


def searched(search: Search, stub_of: dict[str, object] | None = None) -> tuple[Found, Stub]:
    space = SPACE
    found = Found(search, space, {space.start: (1.0, 1.0, 1.0)})
    stub = Stub(found, **(stub_of or {}))  # type: ignore[arg-type]
    stub([space.largest])
    for _ in explore(found, stub):
        pass
    return found, stub


def cheapest(target: float) -> float:
    return min(SPACE.area(point).value for point in SPACE.points if speed(point) >= target)


# --- Pareto front


def places() -> st.SearchStrategy[dict[int, tuple[float, float]]]:
    place = st.tuples(st.integers(0, 9).map(float), st.integers(0, 9).map(float))
    return st.lists(place, min_size=1, max_size=30).map(lambda found: dict(enumerate(found)))


@given(places())
def test_the_front_is_what_nothing_beats(found: dict[int, tuple[float, float]]) -> None:
    front = pareto(found)
    assert all(not beats(other, found[key]) for key in front for other in found.values())
    assert all(any(beats(found[key], place) or found[key] == place for key in front) for place in found.values())
    assert [found[key][0] for key in front] == sorted({found[key][0] for key in front})
    assert len({found[key] for key in front}) == len(front)


@given(places())
def test_the_hypervolume_is_the_cells_that_a_place_covers(found: dict[int, tuple[float, float]]) -> None:
    cells = sum(
        any(mm2 <= x and speed >= y + 1 for mm2, speed in found.values()) for x in range(8) for y in range(2, 12)
    )
    assert hypervolume(list(found.values()), 8.0, 2.0) == pytest.approx(cells)


# --- the searches


@pytest.mark.parametrize("method", list(METHODS))
@pytest.mark.parametrize("target", [1.2, 1.4, 1.6, None])
def test_a_search_pays_for_new_points_only_and_keeps_its_budget(method: str, target: float | None) -> None:
    known = Known(SPACE, target, {SPACE.start: 1.0, SPACE.largest: speed(SPACE.largest)})
    paid: list[Point] = []

    def speedups(points: Sequence[Point]) -> list[float]:
        assert len(points) <= 3
        paid.extend(points)
        return [speed(point) for point in points]

    list(METHODS[method](known, speedups, 12, 3, 7))
    assert len(paid) == len(set(paid)) <= 12 and known.order == paid
    assert SPACE.start not in paid and SPACE.largest not in paid
    assert len(paid) == 12 or not known.left()  # nothing was left that could change the answer


@pytest.mark.parametrize("method", list(METHODS))
def test_with_budget_enough_the_cheapest_is_found_for_certain(method: str) -> None:
    for target in (1.25, 1.8):
        known = Known(SPACE, target, {SPACE.start: 1.0, SPACE.largest: speed(SPACE.largest)})
        list(METHODS[method](known, lambda points: [speed(point) for point in points], 10_000, 4, 1))
        assert known.best is not None and SPACE.area(known.best).value == cheapest(target)
        assert len(known.order) < len(SPACE.points) - 2  # dearer ones were not paid for


@settings(max_examples=12)
@given(st.integers(0, 1000), st.integers(1, 5), st.sampled_from([1.2, 1.5, None]), st.integers(0, 12))
def test_killed_anywhere_a_search_goes_on_to_the_same_end(
    seed: int, parallel: int, target: float | None, killed_after: int
) -> None:
    search = a_search(seed=seed, parallel=parallel, target=target, budget=8)
    whole, _ = searched(search)
    stored: dict[Point, float] = {}
    try:
        searched(search, {"stored": stored, "most": killed_after})
    except KeyboardInterrupt:
        assert len(stored) == killed_after
    before = set(stored)
    again, stub = searched(search, {"stored": stored})
    assert {name: known.order for name, known in again.known.items()} == {
        name: known.order for name, known in whole.known.items()
    }
    assert before <= set(stub.asked)  # nothing that was simulated was in vain


def test_no_target_gives_the_front() -> None:
    found, _ = searched(a_search(target=None, budget=15))
    simulated = {point: (SPACE.area(point).value, speed(point)) for point in found.speedups}
    assert found.front == pareto(simulated) and len(simulated) > 15
    assert (
        len(found.candidates) <= 3 and SPACE.start not in found.candidates and set(found.candidates) <= set(found.front)
    )
    for name in METHODS:
        curve = found.progress(name)
        assert len(curve) == 15 and curve == sorted(curve, key=lambda value: value or 0.0)  # only ever gains


def test_random_search_that_pays_for_all_knows_the_front() -> None:
    known = Known(SPACE, None, {SPACE.start: 1.0, SPACE.largest: speed(SPACE.largest)})
    list(METHODS["random"](known, lambda points: [speed(point) for point in points], 10_000, 5, 3))
    places = {point: (SPACE.area(point).value, speed(point)) for point in SPACE.points}
    assert known.speedups.keys() == places.keys()
    assert pareto({point: places[point] for point in sorted(known.speedups)}) == pareto(places)


def test_tables_and_figures(tmp_path: Path) -> None:
    found, _ = searched(a_search())
    assert [SPACE.area(point).value for point in found.candidates] == sorted(
        SPACE.area(point).value for point in found.candidates
    )
    first, second = found.candidates[:2]
    found.whole = {first: 1.39, second: 1.41}
    assert found.winner == second
    table = steps(found)
    for name, known in found.known.items():
        best = table[table.method == name].best.dropna()
        assert best.is_monotonic_decreasing and best.iloc[-1] == pytest.approx(SPACE.area(known.best).value)
    written = [*write_tables(found, tmp_path), *write_figures(found, tmp_path)]
    assert all(file.stat().st_size for file in written) and len(written) == 7
    lines = (tmp_path / "winners.csv").read_text().splitlines()
    assert lines[0].endswith("found_by,whole_speedup,in_interval,target,reaches_target_whole")
    assert lines[1].endswith(",1.39,False,1.4,False") and lines[2].endswith("True")


def test_names_and_configurations_of_points() -> None:
    point = (2.0, 1.0, 1.0, 0.5)
    assert SPACE.name(point) == "fp32@2+dram@0.5" and SPACE.name(SPACE.start) == "h100"
    config = SPACE.config(point)
    assert config.sm.fp32_lanes_per_subcore == 64 and config.dram.peak_gb_per_s == 1676
    assert SPACE.factors["shared"] == (1.0, 2.0, 4.0) and SPACE.largest == (2.0, 4.0, 2.0, 4.0)


def test_a_point_is_what_a_study_s_sweep_makes_of_it() -> None:
    study = read_study(ROOT / "analysis/study.yaml").model_copy(update={"axes": AXES})
    for point in ((2.0, 1.0, 1.0, 0.5), (1.0, 4.0, 2.0, 2.0)):
        steps_of_axes = dict(zip(AXES, point, strict=True))
        assert digest(SPACE.config(point)) == digest(sweep_point(study, H100, SPACE.name(point), steps_of_axes, ""))
        assert SPACE.name(point) == name_of(steps_of_axes, study)


# --- what is wrong in a search's file


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"axes": AXES | {"more": {"sm.fp32_lanes_per_subcore": 1}}}, ["axes.more: overlaps axis fp32", "sm.fp32_lanes_per_subcore"]),
        ({"factors": FACTORS | {"dram": [0]}}, ["factors.dram.0", "greater than 0"]),
        ({"factors": FACTORS | {"dram": [2, 2]}}, ["factors.dram", "2.0 is there twice"]),
        ({"factors": {name: FACTORS[name] for name in ("fp32", "shared", "dram")}}, ["factors: none for axis registers"]),
        ({"factors": FACTORS | {"colour": [2]}}, ["factors.colour: no such axis"]),
        ({"axes": AXES | {"dram": {"l2.hit_latency_near_cycles": -1}}}, ["axes.dram: no cost is known for l2.hit_latency_near_cycles"]),
        ({"axes": AXES | {"dram": {"dram.colour": 1}}}, ["axes.dram: h100 has no number 'dram.colour'"]),
        ({"axes": AXES | {"dram": {"gpu.name": 1}}}, ["axes.dram: h100 has no number 'gpu.name'"]),
        ({"factors": {name: [1] for name in FACTORS}}, ["no configuration beside the baseline"]),
        ({"factors": FACTORS | {"fp32": [1.03]}}, ["fp32@1.03: sm.fp32_lanes_per_subcore must be even"]),
        ({"factors": {name: [1 + i / 64 for i in range(20)] for name in FACTORS}}, ["160,000 configurations, at most 4,096"]),
        ({"target": 1}, ["target", "greater than 1", "'1'"]),
        ({"target": 0}, ["target", "greater than 1"]),
        ({"budget": 0}, ["budget", "greater than or equal to 1"]),
        ({"seed": -1}, ["seed"]),
        ({"launches": {"tiny": ["absent*"]}}, ["launches.tiny: no launch matches 'absent*'", TINY]),
        ({"launches": {"absent": ["*"]}}, ["launches: no captured launches"]),
        ({"launches": {}}, ["launches"]),
        ({"baseline": "h300"}, ["baseline: no configuration 'h300'", "h100"]),
        ({"baseline": "h200", "device": "h100"}, [TINY, "captured on NVIDIA H100"]),
        ({"goal": 2}, ["goal"]),
    ],
)  # fmt: skip
def test_an_error_is_one_line_before_anything_runs(
    folder: Folder, changes: dict[str, object], words: list[str]
) -> None:
    (folder.path / "search.yaml").write_text(yaml.safe_dump(SEARCH | changes))
    with pytest.raises(SsmsimError) as error:
        open_search("search.yaml", folder.path)
    assert all(word in str(error.value) for word in words), str(error.value)
    assert "\n" not in str(error.value) and not (folder.path / "results").exists()


def test_a_target_beyond_the_largest_configuration_is_refused() -> None:
    with pytest.raises(SsmsimError, match=r"target: 1.4 cannot be reached, the largest .*dram@4, reaches 1.390"):
        check_reachable(a_search(), SPACE, 1.39, "search.yaml")
    check_reachable(a_search(), SPACE, 1.4, "search.yaml")
    check_reachable(a_search(target=None), SPACE, 1.0, "search.yaml")


def test_a_study_is_no_search_and_the_project_s_search_is_one() -> None:
    assert is_search(ROOT / "analysis/search.yaml") and not is_search(ROOT / "analysis/study.yaml")
    assert not is_search(ROOT / "absent.yaml")
    with pytest.raises(SsmsimError, match=r"study.yaml:\d+: field"):
        read_search(ROOT / "analysis/study.yaml")
    search, space, launches = open_search("analysis/search.yaml", ROOT)
    assert len(launches) == 5 and len(space.points) > 1000 and search.target is not None
