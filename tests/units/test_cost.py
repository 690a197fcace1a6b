"""The cost model: formulas, intervals, the data file, area of configurations, energy of counters."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssmsim.config.load import load
from ssmsim.config.schema import SimConfig
from ssmsim.cost.area import counts, difference, numbers, total, whole
from ssmsim.cost.energy import energy
from ssmsim.cost.figures import FILE, costs, read_costs
from ssmsim.cost.formula import evaluate, names
from ssmsim.cost.interval import Interval
from ssmsim.counters import COUNTERS
from ssmsim.errors import SsmsimError
from ssmsim.measured import read_measured

ROOT = Path(__file__).parents[2]
COSTS = costs()
H100 = load(ROOT / "simconfigs/h100.yaml")


def scaled(**changes: float) -> SimConfig:
    """The H100 with fields of `group__name` changed."""
    values = H100.model_dump()
    for field, value in changes.items():
        group, name = field.split("__")
        values[group][name] = value
    return SimConfig.model_validate(values)


def test_a_formula_has_names_numbers_and_four_operators() -> None:
    assert names("2 * a.b + c / (a.b - 3)") == ["a.b", "c"]
    assert evaluate("2 * a.b + c / (a.b - 3)", {"a.b": 5, "c": 4}) == 12
    for wrong in ("a ** 2", "f(a)", "a if b else c", "'a'", "a +", "a[0]", "True"):
        with pytest.raises(ValueError):
            names(wrong)


def intervals() -> st.SearchStrategy[Interval]:
    ends = st.floats(0.001, 1e6)
    return st.lists(ends, min_size=3, max_size=3).map(lambda found: Interval(*sorted(found)))


@given(intervals(), intervals(), st.floats(-100, 100), st.floats(0, 1), st.floats(0, 1))
def test_what_lies_in_intervals_lies_in_what_they_make(
    one: Interval, other: Interval, factor: float, at: float, also: float
) -> None:
    a, b = (x.low + t * (x.high - x.low) for x, t in ((one, at), (other, also)))
    slack = 1e-9 * (1 + one.high * (1 + other.high + abs(factor)) + one.high / other.low)
    for true, made in (
        (a + b, one + other), (a * factor, one * factor), (a * b, one.times(other)), (a / b, one.over(other))
    ):  # fmt: skip
        assert made.low - slack <= true <= made.high + slack
        assert made.low - slack <= made.value <= made.high + slack


def test_every_figure_says_where_it_comes_from() -> None:
    """A source's short name is explained; what points to no source is an assumption, and its range is wide."""
    short = set(COSTS.sources)
    figures = {**COSTS.resources, **COSTS.energies}
    for name, figure in figures.items():
        cited = {word.strip(":;,.'s") for word in figure.source.replace("'s", " ").split()} & short
        like = figure.source.removeprefix("as ").split(" ")[0].rstrip(",;:") in figures or any(
            other in figure.source for other in figures
        )
        assert cited or like or figure.kind == "assumption", name
    for name, resource in COSTS.resources.items():
        if resource.kind == "assumption":
            one = COSTS.area(resource)
            assert one.high >= 2 * one.value or one.low == 0 or one.low <= one.value / 2, name


def test_formulas_name_fields_and_counters_that_there_are() -> None:
    fields = set(numbers(H100))
    for name, resource in COSTS.resources.items():
        assert set(names(resource.count)) <= fields, name
        assert set(names(resource.uses_per_second or "0")) <= fields, name
    for name, kind in COSTS.energies.items():
        assert set(names(kind.count)) <= set(COUNTERS), name


def test_an_h100_adds_up_to_the_share_of_its_die_that_is_claimed() -> None:
    parts = whole(COSTS, H100)
    share = total(parts.values()).value / COSTS.die.mm2
    low, high = COSTS.die.covered_share
    assert low <= share <= high
    assert total(parts.values()).low < COSTS.die.mm2
    assert all(part.value < COSTS.die.mm2 / 4 for part in parts.values())


def test_the_difference_is_that_of_two_whole_configurations() -> None:
    config = scaled(sm__fp32_lanes_per_subcore=64, l2__bytes=H100.l2.bytes * 2, dram__peak_gb_per_s=1676)
    found = difference(COSTS, H100, config)
    apart = total(whole(COSTS, config).values()).value - total(whole(COSTS, H100).values()).value
    assert found.mm2.value == pytest.approx(apart)
    assert {part.name for part in found.parts} == {"fp32_lanes", "l2_capacity", "dram_interface"}
    dram = next(part for part in found.parts if part.name == "dram_interface")
    assert dram.mm2.low < dram.mm2.value < dram.mm2.high < 0
    assert dram.static.low < dram.static.high < 0
    assert dram.busy is not None and dram.busy.value == pytest.approx(-1676e9 * 31.4e-12)


def test_what_costs_nobody_knows_is_named() -> None:
    assert difference(COSTS, H100, scaled(l2__hit_latency_near_cycles=200)).unknown == ["l2.hit_latency_near_cycles"]
    assert difference(COSTS, H100, H100).parts == [] and difference(COSTS, H100, H100).unknown == []
    assert COSTS.resources_of("l2.hit_latency_near_cycles") == []
    assert COSTS.resources_of("sm.fp32_lanes_per_subcore") == ["fp32_lanes"]


def test_a_slower_clock_takes_less_at_full_use() -> None:
    found = difference(COSTS, H100, scaled(gpu__sm_clock_mhz=990))
    assert found.unknown == [] and found.mm2.value == 0
    lanes = next(part for part in found.parts if part.name == "fp32_lanes")
    assert lanes.busy is not None and lanes.busy.value == pytest.approx(-16896 * 990e6 * 1.18e-12)


def test_counts_are_the_hardware() -> None:
    found = counts(COSTS, H100)
    assert found["fp32_lanes"] == 132 * 128 and found["tensor_fmas"] == 528 * 512
    assert found["register_file"] == 33 and found["l1_capacity"] == 33 and found["register_ports"] == 0


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("low: 91.5e+3", "low: 991.5e+3", ["resources.fp32_lanes.transistors", "ascend"]),
        ("energy: fp32_fma", "energy: fp33_fma", ["resources.fp32_lanes", "no energy 'fp33_fma'"]),
        ("count: gpcs * (noc", "count: gpcs ** (noc", ["resources.noc_gpc_ports", "formula"]),
        ("mm2: 814", "mm2: big", ["die.mm2"]),
        ("kind: measured, source: \"SMI: at", "kind: guess, source: \"SMI: at", ["static_watts.kind"]),
    ],
)  # fmt: skip
def test_bad_data_is_one_line(tmp_path: Path, old: str, new: str, words: list[str]) -> None:
    text = FILE.read_text()
    assert old in text
    (tmp_path / "costs.yaml").write_text(text.replace(old, new))
    with pytest.raises(SsmsimError) as error:
        read_costs(tmp_path / "costs.yaml")
    assert all(word in str(error.value) for word in words) and "costs.yaml:" in str(error.value)


def test_energy_is_counts_times_figures() -> None:
    counters: dict[str, float | None] = dict.fromkeys(COUNTERS, 0.0)
    counters |= {"dram__bytes_read.sum": 1e9, "gpu__time_duration.sum": 1e6}
    spent = energy(COSTS, counters)
    assert spent.dynamic.value == pytest.approx(31.4e-3) and spent.missing == {}
    assert spent.static is not None and spent.static.value == pytest.approx(0.138)
    assert spent.watts is not None and spent.watts.value == pytest.approx(169.4)
    fma = counters | {
        "sm__inst_executed_pipe_fma.sum": 100.0,
        "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": 3200.0,
    }
    assert energy(COSTS, fma).classes["int_multiply"].value == 0  # all of the pipe's are floating point
    more = fma | {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum": 32.0}
    assert energy(COSTS, more).classes["int_multiply"].value == 0  # never below nothing


def test_energy_without_a_counter_has_no_total() -> None:
    counters: dict[str, float | None] = dict.fromkeys(COUNTERS, 1.0)
    spent = energy(COSTS, counters | {"lts__t_sectors.sum": None})
    assert spent.missing == {"l2_byte": ["lts__t_sectors.sum"]} and spent.joules is None and spent.watts is None
    assert energy(COSTS, counters | {"gpu__time_duration.sum": None}).joules is None


@pytest.mark.parametrize("device", ["h100", "h200"])
def test_no_measured_kernel_takes_more_than_its_board_may(device: str) -> None:
    """Mean power from measured counters: the board holds 700 W by lowering the clock, so the middle must lie below."""
    rows = read_measured(ROOT / f"traces/{device}/mamba2-2.7b/measured.csv").rows
    found = [energy(COSTS, row) for (_, cache), row in rows.items() if cache == "cold"]
    watts = [spent.watts for spent in found]
    assert len(watts) > 20 and all(one is not None for one in watts)
    assert all(100 < one.value < 700 for one in watts if one is not None)
