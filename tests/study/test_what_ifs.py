"""Two engines, one question: made-up rows of the same what-ifs, and the rows that are recorded of a real Accel-Sim."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis import readme
from analysis.data import CYCLES, INSTRUCTIONS, Data
from analysis.tables import what_ifs
from ssmsim.results import read_result
from ssmsim.study.plan import make_plan
from ssmsim.study.rows import recorded_rows, sequence, told_options

ROOT = Path(__file__).parents[2]
RECORDED = sorted((ROOT / "traces" / "h200" / "accelsim").glob("*.json"))
TAKEN = {  # engine -> config -> cycles
    "embedded": {"h100": 1000.0, "h200": 800.0, "l2_x2": 900.0, "oracle_launch": 990.0},
    "accelsim": {"h100": 2000.0, "h200": 1250.0, "l2_x2": 2000.0, "oracle_launch": 2000.0},
    "measured": {"measured": 1100.0, "h200": 880.0},
}
OPTIONS = {
    "h100": "-dram 3 -dl2 A:1,B",
    "h200": "-dram 4 -dl2 A:1,B",
    "l2_x2": "-dram 3 -dl2 A:2,B",
    "oracle_launch": "-dram 3 -dl2 A:1,B",
}


def study(recorded: bool = True, launch: float = 0.0) -> Data:
    """One launch on an H100, whose H200 was measured too. launch: cycles of its end, on an H200 none."""
    rows = [
        {"workload": "w", "launch": "00-k", "cache": "cold", "name": "k", "engine": engine, "config": config, CYCLES: cycles,
         "blocks": 8, INSTRUCTIONS: 100.0, "part_sms": 0, "draw": 0, "sampled_fraction": np.nan, "ci95_low": np.nan, "held_out": False}
        for engine, of_engine in TAKEN.items() for config, cycles in of_engine.items()
    ]  # fmt: skip
    for row in rows if recorded else []:
        if row["engine"] == "accelsim":
            row |= {"options": OPTIONS[row["config"]], "options_lacking": "lrc", "without_option": "launch.a, noc.b, l2.c",
                    "modified_without_option": "launch.a" if row["config"] == "oracle_launch" else None}  # fmt: skip
    rows = rows if recorded else [row for row in rows if row["engine"] != "accelsim"]
    columns = {
        "h100": [1.0, 2.0, 3.0],
        "h200": [1.0, 9.0, 3.0],
        "l2_x2": [1.0, 2.0, 3.0],
        "oracle_launch": [0.0, 2.0, 3.0],
    }
    hardware = pd.DataFrame(columns, index=["launch.a", "noc.b", "l2.c"]).T
    hardware["launch.end_cycles"] = [launch, 0.0, launch, launch]
    hardware = hardware.astype(str)  # as read: some fields of a configuration are no numbers
    hardware["launch.start_cycles"] = "0"
    table = pd.DataFrame(rows)
    return Data(table, hardware, "h100", "embedded", table[:0], pd.DataFrame(), table[:0])


def test_each_engine_answers_over_its_own_baseline_and_silicon_says_who_is_nearer() -> None:
    made = what_ifs.make(study()).set_index(["config", "engine"])
    assert made.loc[("h200", "embedded"), "speedup"] == pytest.approx(1.25)
    assert made.loc[("h200", "accelsim"), "speedup"] == pytest.approx(1.6)
    assert made.loc["h200"].measured.tolist() == pytest.approx([1.25, 1.25])
    assert made.loc[("h200", "accelsim"), "error_pct"] == pytest.approx(28)
    assert set(made.loc["h200"].right) == {"embedded"} and made.loc["l2_x2"].right.isna().all()
    assert made.loc[("l2_x2", "accelsim"), "apart_pct"] == pytest.approx(-10)
    assert made.loc[("l2_x2", "embedded"), "apart_pct"] != made.loc[("l2_x2", "embedded"), "apart_pct"]  # from itself


def test_what_was_asked_is_named_and_what_has_no_option_is_no_answer() -> None:
    """An engine that is given the baseline's options again says nothing about a what-if; 1.00 would be a lie."""
    made = what_ifs.make(study()).set_index(["config", "engine"])
    other = made.xs("accelsim", level="engine")
    assert other.asked.to_dict() == {"h200": "in part", "l2_x2": "yes", "oracle_launch": "no"}
    assert other.options.to_dict() == {"h200": "dram", "l2_x2": "dl2", "oracle_launch": ""}
    assert other.without_option.to_dict() == {"h200": "noc.b", "l2_x2": "", "oracle_launch": "launch.a"}
    assert np.isnan(other.speedup["oracle_launch"]) and set(other.options_lacking) == {"lrc"}
    assert made.loc[("oracle_launch", "embedded"), "speedup"] == pytest.approx(1000 / 990)


def test_the_section_shows_all_three() -> None:
    text = readme.what_ifs({"what_ifs": what_ifs.make(study())})
    whole, inner = "1.250 | 1.250 (+0.0 %) | 1.600 (+28.0 %)", "1.136 | 1.125 (-1.0 %) | 1.520 (+33.8 %)"
    assert f"| w 00-k | `h200` | {whole} | {whole} | embedded |" in text
    outside = study(launch=100.0)
    assert inner in readme.what_ifs({"what_ifs": what_ifs.make(outside)})
    assert "**1.11 / 1.00**" in text and "1.01 / –" in text
    assert "| `oracle_launch` | no | none | `launch.a` |" in text
    assert text.endswith("Options rendered that this version lacks: lrc.")


def test_a_study_of_one_engine_has_no_such_table() -> None:
    made = what_ifs.make(study(recorded=False))
    assert made.empty and list(made.columns) == what_ifs.COLUMNS
    assert readme.what_ifs({"what_ifs": made}) == readme.NOTHING


def test_rows_of_a_run_count_before_recorded_ones() -> None:
    data = study()
    stale = data.rows[data.rows.engine == "accelsim"].assign(**{CYCLES: 7.0})
    both = replace(data, rows=pd.concat([data.rows, stale], ignore_index=True))
    pd.testing.assert_frame_equal(what_ifs.make(both), what_ifs.make(data))


def test_silicon_is_as_sure_as_the_same_launch_again() -> None:
    """Twice the ratio at the repeated launch: both engines lie between; of another kernel nothing is said."""
    data = study()
    silicon = data.rows[data.rows.engine == "measured"]
    again = silicon.assign(launch="01-k", **{CYCLES: silicon[CYCLES] * np.where(silicon.config == "h200", 0.5, 1.0)})
    both = replace(data, rows=pd.concat([data.rows, again], ignore_index=True))
    line = what_ifs.make(both).set_index(["config", "engine"]).loc[("h200", "accelsim")]
    assert (line.inner_low, line.inner_high) == pytest.approx((1.25, 2.5)) and line.right == "accelsim, embedded"
    apart = replace(data, rows=pd.concat([data.rows, again.assign(name="other")], ignore_index=True))
    line = what_ifs.make(apart).set_index(["config", "engine"]).loc[("h200", "accelsim")]
    assert (line.inner_low, line.inner_high) == pytest.approx((1.25, 1.25)) and line.right == "embedded"


def test_a_fragment_is_not_held_against_silicon() -> None:
    data = study()
    rows = data.rows.assign(sampled_fraction=np.where(data.rows.engine == "measured", np.nan, 0.25))
    made = what_ifs.make(replace(data, rows=rows))
    assert made.measured.isna().all() and set(made.blocks_pct) == {25}


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.stem)
def test_recorded_rows_say_which_accelsim_made_them_and_what_it_was_given(file: Path) -> None:
    row = read_result(file)
    assert row.engine == "accelsim" and any("c4d00b5" in note and "fa235ebc" in note for note in row.notes)
    told = told_options(row.notes)
    assert told["without_option"]
    if told["options"] is not None:  # rows before 2026-11-28 do not list them
        assert told["options_lacking"] == "none" and "-gpgpu_clock_domains " in told["options"]


def test_the_baseline_is_recorded_for_every_what_if() -> None:
    rows = [read_result(file) for file in RECORDED]
    there = {(row.workload, row.launch, row.config) for row in rows}
    for workload, launch, config in there:
        assert config == "h200" or (workload, launch, "h100") in there


@pytest.mark.parametrize(
    ("study_file", "configs"), [("two_engines", {"h100", "h200", "dram_x1.5"}), ("h200", {"h200"})]
)
def test_a_study_has_the_recorded_rows_of_its_own_configurations(study_file: str, configs: set[str]) -> None:
    """What-ifs are of an H100: beside an H200's baseline they would be no speed-ups."""
    plan = make_plan(f"analysis/{study_file}.yaml", ROOT)
    about = {workload: sequence(ROOT / "traces" / "h200" / workload) for workload in plan.workloads}
    rows = recorded_rows(plan, about)
    assert configs <= {row["config"] for row in rows} <= set(plan.configs)
