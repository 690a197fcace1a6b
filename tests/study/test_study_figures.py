"""Every figure and table is made from a study of a few made-up rows, and from one that lacks most of it."""

import importlib
import io
import re
from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from docutils.core import publish_parts
from small_study import ROOT

from analysis import data as study_data
from analysis import evidence as shown
from analysis import report
from analysis.classes import kernel_class
from analysis.factorial import responses
from analysis.readme import SECTIONS, markdown, render
from analysis.sensitivity import factors
from ssmsim.config.load import load
from ssmsim.counters import COUNTERS, STALL_REASONS, TENSOR_FLOP, stall
from ssmsim.factorial import array
from ssmsim.results import Result
from ssmsim.study import evidence
from ssmsim.study.plan import make_plan

mpl.use("agg")
SCRIPTS = {kind: sorted(p.stem for p in (ROOT / "analysis" / kind).glob("[!_]*.py")) for kind in ("figures", "tables")}
KERNELS = {
    "00-chunk_cumsum_fwd_kernel": "forward",
    "04-chunk_scan_fwd_kernel": "forward",
    "27-bmm_chunk_bwd_kernel": "backward",
}
AXES = ["dram", "lanes", "special_functions"]
DESIGN = ["+".join(f"{axis}@2" for axis, on in zip(AXES, row, strict=True) if on) or "h200" for row in array(len(AXES))]
CONFIGS = [*dict.fromkeys(["h200", "vector_x2", "dram@0.5", "dram@2", "dram@4", "lanes@2",
           *(f"dram@{a}+lanes@{b}" for a in ("0.5", "2") for b in ("0.5", "2")), *DESIGN])]  # fmt: skip
GAIN = {"dram": 0.8, "lanes": 0.95, "special_functions": 1.0}  # what twice of an axis leaves of the cycles
DRAWS = 2


def write_study(folder: Path, configs: list[str], measured: bool) -> None:
    """rows.csv, hardware.csv and designs.csv with made-up counters: cycles as GAIN says, draws a thousandth apart."""
    rows, chance = [], np.random.default_rng(0)
    for order, (launch, direction) in enumerate(KERNELS.items()):
        about = {"order": order, "name": launch[3:-7], "direction": direction, "role": "ssm", "part_sms": 0,
                     "held_out": False}  # fmt: skip
        for cache in ("cold", "warm"):
            for config in [*configs, *(["measured"] if measured else [])]:
                engine = "measured" if config == "measured" else "embedded"
                counters: dict[str, float | None] = dict.fromkeys(COUNTERS, 10.0 + order)
                left = np.prod([GAIN[axis] ** np.log2(factor) for axis, factor in factors(config).items()])
                counters[study_data.CYCLES] = 1e5 * (1 + order) * float(left)
                for reason in STALL_REASONS:
                    counters[stall(reason)] = float(len(reason))
                for name in TENSOR_FLOP:
                    counters[name] = 0.0 if "cumsum" in launch else 1e9
                result = Result(
                    launch=launch, workload="mamba2-2.7b", config=config, engine=engine, cache=cache, counters=counters
                )
                rows.append(result.row() | about | {"draw": None if engine == "measured" else 0, "whole": None})
                for draw in range(1, DRAWS if engine == "embedded" and cache == "cold" else 1):
                    apart = counters[study_data.CYCLES] * float(chance.normal(1, 1e-3))
                    rows.append(rows[-1] | {"draw": draw, study_data.CYCLES: apart})
    pd.DataFrame(rows).to_csv(folder / "rows.csv", index=False)
    designs = [
        {"selection": "all", "factor": 2.0, "run": run, "config": config, "axis": axis, "relieved": int(on)}
        for run, (config, row) in enumerate(zip(DESIGN, array(len(AXES)), strict=True))
        for axis, on in zip(AXES, row, strict=True)
    ]
    columns = ["selection", "factor", "run", "config", "axis", "relieved"]
    pd.DataFrame(designs if len(configs) > 1 else [], columns=columns).to_csv(folder / "designs.csv", index=False)
    values = load(ROOT / "simconfigs/h200.yaml")
    hardware = [{"config": "h200", "field": "gpu.sms", "value": values.sm_count}] + [
        {"config": "h200", "field": f"{group}.{field}", "value": value}
        for group, fields in values.model_dump(exclude={"name", "files", "provenance"}).items()
        for field, value in fields.items()
        if isinstance(value, int | float)
    ]
    pd.DataFrame(hardware).to_csv(folder / "hardware.csv", index=False)


@pytest.fixture(scope="module", params=["full", "no sweeps", "nothing measured", "held out alone"])
def study(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> study_data.Data:
    folder = tmp_path_factory.mktemp("rows")
    write_study(folder, CONFIGS if request.param == "full" else CONFIGS[:1], request.param != "nothing measured")
    if request.param == "held out alone":
        pd.read_csv(folder / "rows.csv").assign(held_out=True).to_csv(folder / "rows.csv", index=False)
    return study_data.read(folder)


@pytest.mark.parametrize("name", SCRIPTS["figures"])
def test_figure(study: study_data.Data, name: str, tmp_path: Path) -> None:
    figure = importlib.import_module(f"analysis.figures.{name}").draw(study)
    figure.savefig(tmp_path / "figure.png", dpi=30)
    plt.close(figure)


@pytest.mark.parametrize("name", SCRIPTS["tables"])
def test_table(study: study_data.Data, name: str) -> None:
    assert isinstance(importlib.import_module(f"analysis.tables.{name}").make(study), pd.DataFrame)


def table(study: study_data.Data, name: str) -> pd.DataFrame:
    return importlib.import_module(f"analysis.tables.{name}").make(study)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> study_data.Data:
    folder = tmp_path_factory.mktemp("full")
    write_study(folder, CONFIGS, measured=True)
    return study_data.read(folder)


def test_numbers_of_the_made_up_study(full: study_data.Data) -> None:
    accuracy = table(full, "accuracy_summary")
    assert (accuracy.cycles_mean_absolute_error_pct == 0).all()
    verdict = table(full, "verdict").set_index("name")
    assert set(verdict.bound_by) == {"dram"} and set(verdict.then) == {"lanes"}
    assert verdict.speedup.to_numpy() == pytest.approx(1 / GAIN["dram"])
    assert verdict.then_speedup.to_numpy() == pytest.approx(1 / GAIN["lanes"])
    assert verdict.share_pct.to_numpy() == pytest.approx(100 * np.log(0.8) / np.log(0.8 * 0.95))
    assert set(verdict.until) == {4.0} and verdict.beyond.all()  # 1.25 and 1.56: four times still brings more
    claim = table(full, "claim")
    relieved = claim[claim.stage == "memory relieved"]
    assert relieved.twice.tolist() == ["lanes", "special_functions"]
    assert relieved.speedup.to_numpy() == pytest.approx([1 / 0.95, 1.0])
    block = full.block().set_index("config")
    assert block.loc["dram@2"].low < 1 / GAIN["dram"] < block.loc["dram@2"].high
    speedups = table(full, "speedups").set_index(["launch", "config"])
    assert speedups.loc[("all", "dram@2"), "effect_shown"] and not speedups.loc[("all", "vector_x2"), "effect_shown"]
    classes = table(full, "kernel_classes")
    measured = classes[(classes.level == "measured") & (classes.kernels > 0)]
    assert set(zip(measured.direction, measured["class"], strict=True)) >= {
        ("forward", "vector"),
        ("forward", "tensor"),
    }


def test_equal_launches_count_as_often_as_they_ran(full: study_data.Data) -> None:
    """A launch of the block stands for three: sums over the block have it three times."""
    once = full.block().set_index("config")
    explored = full.modified()[["workload", "launch"]].drop_duplicates().iloc[0]
    chosen = (full.rows.workload == explored.workload) & (full.rows.launch == explored.launch)
    more = replace(full, rows=full.rows.assign(occurrences=np.where(chosen, 3, 1)))
    time = full.measured(full.explored_cache).set_index(["workload", "launch"])[study_data.CYCLES]
    gained = 2 * time.loc[tuple(explored)]
    block = more.block()
    block = block[block.workload == explored.workload].set_index("config")
    assert block.base.to_numpy() == pytest.approx(once.loc[block.index].base.to_numpy() + gained)
    assert block.speedup.to_numpy() == pytest.approx(once.loc[block.index].speedup.to_numpy(), rel=0.2)
    for key, whole in responses(full, launches=False).items():
        own = {name: one for (workload, name), one in responses(full).items() if workload == key[0]}
        often = {name: 3 if (key[0], name) == tuple(explored) else 1 for name in own}
        wanted = sum(often[name] * np.exp(one.logs) for name, one in own.items())
        assert np.exp(responses(more, launches=False)[key].logs) == pytest.approx(wanted)
        assert len(whole.logs) == len(wanted)


def test_intervals_are_held_against_whole_runs(full: study_data.Data) -> None:
    """A whole run whose speed-up is the sampled one's is inside; one that is a tenth off is not."""
    own = full.rows[(full.rows.engine == "embedded") & (full.rows.draw == 0) & (full.rows.cache == "cold")]
    own = own[own.config.isin(["h200", "dram@2", "lanes@2"])].assign(whole=True)
    off = own.config == "lanes@2"
    both = replace(full, whole=own.assign(**{study_data.CYCLES: own[study_data.CYCLES] * np.where(off, 1.1, 1.0)}))
    made = table(both, "interval_coverage").set_index(["launch", "config"])
    assert made.xs("dram@2", level=1).inside.all() and not made.xs("lanes@2", level=1).inside.any()
    assert len(made) == 2 * len(KERNELS)


def test_bounds_are_shares_of_peak(full: study_data.Data) -> None:
    line = table(full, "bounds").iloc[0]
    assert line.issue_pct == pytest.approx(100 * 10 / (132 * 4) / 1e5, rel=1e-3)


@pytest.mark.parametrize(
    ("tensor", "vector", "kind"),
    [(0, 5, "vector"), (5, 0, "tensor"), (1e3, 4, "tensor"), (1e3, 6, "mixed"), (0, 0, "neither")],
)
def test_kernel_class(tensor: float, vector: float, kind: str) -> None:
    assert kernel_class(pd.Series({"tensor_flop": tensor, "vector_flop": vector})) == kind


def test_readme_sections_are_written_and_written_again(full: study_data.Data) -> None:
    tables = {name: table(full, name) for name in SCRIPTS["tables"]}
    page = "".join(f"<!-- begin study.{name} -->\nstale text\n<!-- end study.{name} -->\n" for name in SECTIONS)
    other = "<!-- begin full.claim -->\nof another study\n<!-- end full.claim -->\n"
    written = render(page + other, "study", tables)
    assert "stale text" not in written
    assert other in written
    assert re.search(r"dram 1\.25\d ± 0\.0", written) and "no effect shown" in written
    assert render(written, "study", tables) == written


def test_markdown_shows_missing_values() -> None:
    assert markdown(pd.DataFrame({"a": [1, None]})).splitlines()[-1] == "| – |"


def test_held_out_launches_are_shown_apart(full: study_data.Data) -> None:
    rows = full.rows.assign(held_out=full.rows.launch.str.startswith("04"))
    apart = replace(full, rows=rows[~rows.held_out], apart=rows[rows.held_out])
    assert set(table(apart, "held_out").launch) == {"04-chunk_scan_fwd_kernel"}
    assert "04-chunk_scan_fwd_kernel" not in set(table(apart, "accuracy").launch)
    assert (table(apart, "held_out").cycles_error_pct == 0).all()


def test_another_engines_rows_stand_beside_the_studys(full: study_data.Data) -> None:
    """Whole launches against the measurement, fragments against the same fragment alone."""
    own = full.rows[(full.rows.engine == "embedded") & (full.rows.config == "h200") & (full.rows.cache == "cold")]
    other = own.assign(engine="accelsim", **{study_data.CYCLES: own[study_data.CYCLES] * 2})
    part = own.launch.str.startswith("27")
    fragments = pd.concat([own[part], other[part]]).assign(sampled_fraction=0.25, ci95_low=None)
    both = replace(full, rows=pd.concat([full.rows, other[~part], fragments]))
    made = table(both, "engines").set_index(["launch", "engine"])
    assert made.loc[("04-chunk_scan_fwd_kernel", "accelsim"), "cycles_error_pct"] == pytest.approx(100)
    assert made.loc[("04-chunk_scan_fwd_kernel", "embedded"), "cycles_error_pct"] == pytest.approx(0)
    fragment = made.loc["27-bmm_chunk_bwd_kernel"]
    assert fragment.blocks_pct.tolist() == [25, 25] and fragment.cycles_measured.isna().all()
    assert "ACCELSIM_ROOT" in table(full, "engines").engine.iloc[0]


def test_what_another_gpu_changes_is_a_ratio_of_ratios(tmp_path: Path) -> None:
    """Here 10 % slower than there as measured, 21 % as simulated: 1.21 / 1.1 - 1 off."""
    write_study(tmp_path, CONFIGS[:1], True)
    rows = pd.read_csv(tmp_path / "rows.csv")
    there = rows.assign(config=rows.config.replace({"h200": "other", "measured": "other"}))
    factor = np.where(there.engine == "measured", 1.1, 1.21)
    there[study_data.CYCLES] = there[study_data.CYCLES] / factor
    pd.concat([rows, there]).to_csv(tmp_path / "rows.csv", index=False)
    data = study_data.read(tmp_path)
    table = importlib.import_module("analysis.tables.other_gpu").make(data)
    assert len(table) == 6 and set(table.other) == {"other"}
    assert table.cycles_ratio_measured.to_numpy() == pytest.approx(1.1)
    assert table.error_pct.to_numpy() == pytest.approx(10)
    text = SECTIONS["other_gpu"][1]({"other_gpu": table[table.cache == "cold"].assign(us=30.0)})
    assert "| 3 of 20 µs and more, all | 1.10 to 1.10 | 1.21 to 1.21 | 10.0 % | +10.0 % |" in text
    figure = importlib.import_module("analysis.figures.other_gpu").draw(data)
    plt.close(figure)


def test_the_reports_front_page_is_sound(
    full: study_data.Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Findings, what was run, how to read it, as reStructuredText that docutils takes without a word."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(shown, "FILE", tmp_path / "evidence.json")
    evidence.write(shown.FILE)
    tables = {name: table(full, name) for name in SCRIPTS["tables"]}
    text = report.page(make_plan("analysis/study.yaml", ROOT), "analysis/study.yaml", tables)
    told = io.StringIO()
    html = publish_parts(text, writer="html", settings_overrides={"warning_stream": told})["html_body"]
    assert told.getvalue() == ""
    for words in (
        "Findings",
        "mean absolute error",
        "simulations of",
        "How to read it",
        "holds",
        "<table",
    ):
        assert words in html
    assert "|" not in html.split("What was run")[0] and "**" not in html


def test_markdown_of_the_sections_becomes_rst() -> None:
    assert report.rst("- **1.5 %** of `x`_y").strip() == "- **1.5 %**  of \\`x\\`\\_y"
    lines = report.rst("a\n\n| k | v |\n| --- | --- |\n| 1 | – |").splitlines()
    assert lines[-5:] == ["   * - k", "     - v", "   * - 1", "     - –", ""]


def test_evidence_of_another_engine_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "waits.csv"
    file.write_text(f"launch,digest\na,{evidence.digest()}\nb,0123456789abcdef\nc,\n")
    told = evidence.note(file)
    assert "2 of 3 lines are of another engine (digest 0123456789abcdef, unknown; today's is" in told
    assert "`snakemake waits`" in told
    file.write_text(f"launch,digest\na,{evidence.digest()}\n")
    assert evidence.note(file) == ""
    file.write_text("launch\na\n")
    assert "1 of 1 lines" in evidence.note(file)


@pytest.mark.parametrize("name", evidence.TABLES)
def test_evidence_of_the_project(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(shown, "FILE", tmp_path / "evidence.json")
    evidence.write(shown.FILE)
    assert tuple(evidence.TABLES) == shown.NAMES
    written = render(f"<!-- begin evidence.{name} -->\n<!-- end evidence.{name} -->\n", "study", {})
    assert written.count("\n| ") > 5
    assert written.startswith(f"<!-- begin evidence.{name} -->\n**Stale") == bool(
        evidence.note(Path(f"analysis/{name}.csv"))
    )


def test_sections_of_no_study_are_refused() -> None:
    with pytest.raises(ValueError, match=r"page\.md: no section study\.acuracy"):
        render("<!-- begin study.acuracy -->\n<!-- end study.acuracy -->\n", "study", {}, "page.md")
