"""A study file becomes the right runs."""

from pathlib import Path

import pytest
from small_study import ROOT, TINY, Folder

from ssmsim.config.load import digest, load
from ssmsim.errors import SsmsimError
from ssmsim.study.plan import make_plan
from ssmsim.study.points import sweep_point
from ssmsim.study.progress import line
from ssmsim.study.rows import roles
from ssmsim.study.schema import read_study
from ssmsim.study.search.schema import is_search

SWEEP = """
device: h100
baseline: h100
engines: [embedded]
axes: {dram: {dram.peak_gb_per_s: 1}, latency: {l2.hit_latency_near_cycles: -1, sm.registers: 1}}
selections:
  line: {launches: {tiny: ["*"]}, sweeps: [{dram: [0.5, 1, 2]}], caches: [cold, warm]}
  plane: {launches: {tiny: ["37*"]}, configs: [h100], sweeps: [{dram: [1, 2], latency: [1, 2]}]}
"""


def test_sweeps_share_points_and_factor_one_is_the_baseline(folder: Folder) -> None:
    folder.study(SWEEP)
    plan = make_plan("analysis/study.yaml", folder.path)
    runs = {(run.config, run.cache) for run in plan.runs}
    assert runs == {(c, "cold") for c in ("h100", "dram@0.5", "dram@2", "latency@2", "dram@2+latency@2")} | {
        (c, "warm") for c in ("h100", "dram@0.5", "dram@2")
    }
    assert len(plan.runs) == len(runs)


def test_sweep_point_scales_the_baseline(folder: Folder) -> None:
    folder.study(SWEEP)
    plan = make_plan("analysis/study.yaml", folder.path)
    baseline, point = plan.configs["h100"], plan.configs["dram@2+latency@2"]
    assert point.dram.peak_gb_per_s == 2 * baseline.dram.peak_gb_per_s
    assert point.l2.hit_latency_near_cycles == round(baseline.l2.hit_latency_near_cycles / 2)
    assert point.sm.registers == 2 * baseline.sm.registers


def test_batch_changes_with_every_file_of_a_configurations_chain(folder: Folder) -> None:
    folder.study(selections={"one": {"launches": {"tiny": ["*"]}, "configs": ["vector_x2_dram_x1.5", "l2_x2"]}})

    def identity() -> str:
        plan = make_plan("analysis/study.yaml", folder.path)
        return plan.identity(*next(iter(plan.batches)))

    before = identity()
    assert identity() == before
    base = folder.path / "simconfigs/vector_x2.yaml"
    base.write_text(base.read_text() + "# a comment changes nothing\n")
    assert identity() == before
    base.write_text(base.read_text().replace("xu_lanes_per_subcore: 8", "xu_lanes_per_subcore: 16"))
    changed = [part for part in identity().split() if part not in before.split()]
    assert len(changed) == 1 and changed[0].startswith("vector_x2_dram_x1.5.cold:")


def test_each_run_is_in_one_batch(folder: Folder) -> None:
    folder.study(SWEEP)
    plan = make_plan("analysis/study.yaml", folder.path)
    assert [len(runs) for runs in plan.batches.values()] == [6, 2]


@pytest.mark.parametrize("path", sorted((ROOT / "simconfigs").glob("*_x*.yaml")), ids=lambda path: path.stem)
def test_name_of_a_modification_tells_its_factor(path: Path) -> None:
    """`vector_x2` has twice the baseline's values (or half its intervals): a moved baseline may not leave it behind."""
    if "_x" in path.stem.rsplit("_x", 1)[0]:
        pytest.skip("a combination: its parts are tested")
    factor = float(path.stem.rsplit("_x", 1)[1].split("_")[0])
    changed, baseline = load(path).model_dump(), load(ROOT / "simconfigs/h100.yaml").model_dump()
    ratios = {
        f"{group}.{field}": value / baseline[group][field]
        for group, fields in changed.items()
        if isinstance(fields, dict) and group != "provenance"
        for field, value in fields.items()
        if value != baseline[group][field] and value != round(baseline[group][field] / factor)  # whole cycles
    }
    assert ratios
    assert {
        field: ratio for field, ratio in ratios.items() if round(ratio, 9) not in (factor, round(1 / factor, 9))
    } == {}


def test_backward_begins_where_the_forward_kernels_repeat() -> None:
    found = roles(["00-a_fwd_kernel", "01-fill_kernel", "02-a_fwd_kernel", "03-a_bwd_kernel", "04-reduce_kernel"])
    assert [direction for direction, _ in found.values()] == ["forward"] * 2 + ["backward"] * 3
    assert [role for _, role in found.values()] == ["ssm", "framework", "again", "ssm", "framework"]


def test_progress_line() -> None:
    assert line(30, 100, 20, 10.0) == "30 of 100 simulations, 2.0 per second, 35 s left"
    assert line(0, 100, 0, 0.0) == "0 of 100 simulations"


def test_study_of_the_project_plans() -> None:
    plan = make_plan("analysis/study.yaml", ROOT)
    assert len(plan.runs) == len(set(plan.results))
    assert next(iter(plan.configs)) == plan.study.baseline


def test_axes_of_the_study_mean_what_the_configurations_of_that_name_do() -> None:
    """`issue@2` and issue_x2 are one and the same hardware, so they are simulated once."""
    study = read_study(ROOT / "analysis/study.yaml")
    baseline = load(ROOT / "simconfigs/h100.yaml")
    same = {"vector_x2": ("lanes", "special_functions"), "issue_x2": ("issue",), "l2_x2": ("l2_capacity",),
            "smem_x2": ("shared_memory",), "tensor_x2": ("tensor",), "regfile_x2": ("registers",)}  # fmt: skip
    for name, axes in same.items():
        point = sweep_point(study, baseline, name, dict.fromkeys(axes, 2.0), "study")
        assert digest(point) == digest(load(ROOT / f"simconfigs/{name}.yaml")), name


def test_a_schedule_that_places_every_block_is_not_sampled(folder: Folder) -> None:
    one = {"launches": {"tiny": ["*"]}, "configs": ["persistent"]}
    folder.study(selections={"one": one}, sample=True)
    with pytest.raises(SsmsimError, match="configuration persistent places every block"):
        make_plan("analysis/study.yaml", folder.path)
    folder.study(selections={"one": one | {"whole": True}}, sample=True)
    assert all(run.whole for run in make_plan("analysis/study.yaml", folder.path).runs)


def test_axes_of_the_study_share_no_field() -> None:
    fields = [field for axis in read_study(ROOT / "analysis/study.yaml").axes.values() for field in axis]
    assert len(fields) == len(set(fields))


DESIGN = """
device: h100
baseline: h100
engines: [embedded]
axes: {dram: {dram.peak_gb_per_s: 1}, lanes: {sm.fp32_lanes_per_subcore: 1}, both: {dram.peak_gb_per_s: 1, sm.registers: 1}}
rules: {coalescer: {noc.coalescer_entries_per_gpc: 0}}
selections:
  one: {launches: {tiny: ["*"]}, design: {axes: [dram, lanes], until: [2, 4]}, without: [coalescer], draws: 2}
"""


def test_a_design_its_draws_and_what_follows(folder: Folder) -> None:
    """Runs of the design, each twice; more of an axis is planned for each, and happens for the one worth most."""
    folder.study(DESIGN)
    plan = make_plan("analysis/study.yaml", folder.path)
    names = {"h100", "dram@2", "lanes@2", "dram@2+lanes@2", "off-coalescer"}
    assert {(run.config, run.draw) for run in plan.runs} == {(name, draw) for name in names for draw in (0, 1)}
    assert plan.configs["off-coalescer"].noc.coalescer_entries_per_gpc == 0
    (further,) = plan.further.values()
    assert {axis: [run.config for run in runs] for axis, runs in further.items()} == {
        "dram": ["dram@2", "dram@4"],
        "lanes": ["lanes@2", "lanes@4"],
    }
    keys = {plan.key(run) for run in plan.runs}
    assert len(keys) == len(plan.runs) == len(set(plan.results))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[dram, lanes]", "[dram, both]", "axes dram and both both have dram.peak_gb_per_s"),
        ("[dram, lanes]", "[dram, nothing]", "no axis 'nothing'"),
        ("until: [2, 4]", "until: [4, 2]", "until must rise"),
        ("until: [2, 4]", "factor: 0", "greater than 1"),
        ("[coalescer]", "[other]", "no rule 'other'"),
        ("coalescer_entries_per_gpc: 0", "coalescer_entries_per_gpc: -1", "off-coalescer: noc.coalescer_entries_per_gpc"),
        ("noc.coalescer_entries_per_gpc: 0", "noc.missing: 0", "h100 has no field 'noc.missing'"),
        ("draws: 2", "draws: 2, part: {sms: 16}", "draws and whole are of launches on the whole GPU"),
    ],
)  # fmt: skip
def test_a_design_that_is_none_is_refused_in_one_line(folder: Folder, old: str, new: str, said: str) -> None:
    folder.study(DESIGN.replace(old, new))
    with pytest.raises(SsmsimError) as refused:
        make_plan("analysis/study.yaml", folder.path)
    assert said in str(refused.value) and "\n" not in str(refused.value)


def test_runs_on_the_whole_gpu_have_the_clock_of_their_measurement(folder: Folder) -> None:
    (folder.path / "traces/h100/tiny/measured.csv").write_text(
        f"launch,cache,gpc__cycles_elapsed.max,gpu__time_duration.sum\n{TINY},cold,3400,2000\n"
    )
    folder.study(clock="measured")
    plan = make_plan("analysis/study.yaml", folder.path)
    assert {plan.clock(run) for run in plan.runs} == {1700}
    before = plan.identity(*next(iter(plan.batches)))
    folder.study(clock="config")
    plan = make_plan("analysis/study.yaml", folder.path)
    assert {plan.clock(run) for run in plan.runs} == {None}
    assert plan.identity(*next(iter(plan.batches))) != before


def test_a_measured_table_in_another_unit_is_missed_while_planning(folder: Folder) -> None:
    """Microseconds for nanoseconds would be a clock of 1,700 GHz, and numbers without a word."""
    (folder.path / "traces/h100/tiny/measured.csv").write_text(
        f"launch,cache,gpc__cycles_elapsed.max,gpu__time_duration.sum\n{TINY},cold,3400,2\n"
    )
    folder.study(clock="measured")
    with pytest.raises(SsmsimError, match=r"clock of 1\.7e\+06 MHz"):
        make_plan("analysis/study.yaml", folder.path)


def test_launches_measured_on_another_gpu(folder: Folder) -> None:
    """Each configuration runs at the clock of the GPU that it describes; tables that are not there are missed at once."""
    header = "launch,cache,gpc__cycles_elapsed.max,gpu__time_duration.sum"
    (folder.path / "traces/h100/tiny/measured.csv").write_text(f"{header}\n{TINY},cold,3400,2000\n")
    selections = {"only": {"launches": {"tiny": ["*"]}, "configs": ["h100"]}}
    folder.study(
        clock="measured", baseline="h200", measured_on="h200", cross_device=True, axes={}, selections=selections
    )
    with pytest.raises(SsmsimError, match=r"measured_on: no traces/h100/measured_on_h200/tiny/measured\.csv"):
        make_plan("analysis/study.yaml", folder.path)
    other = folder.path / "traces/h100/measured_on_h200/tiny/measured.csv"
    other.parent.mkdir(parents=True)
    other.write_text(f"{header}\n{TINY},cold,3600,2000\n")
    plan = make_plan("analysis/study.yaml", folder.path)
    assert plan.measured == ["traces/h100/measured_on_h200/tiny/measured.csv"]
    assert {run.config: plan.clock(run) for run in plan.runs} == {"h200": 1800, "h100": 1700}


def test_a_held_out_workload_must_be_in_the_study(folder: Folder) -> None:
    folder.study(held_out=["absent"])
    with pytest.raises(SsmsimError, match="held_out: no selection has the workload 'absent'"):
        make_plan("analysis/study.yaml", folder.path)


@pytest.mark.parametrize(
    "file",
    [file for file in sorted((ROOT / "analysis").glob("*.yaml")) if not is_search(file)],
    ids=lambda file: file.stem,
)
def test_every_study_of_the_project_plans(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Accel-Sim, the study that needs it says so in one line, before anything runs."""
    monkeypatch.delenv("ACCELSIM_ROOT", raising=False)
    if "accelsim" in file.stem:
        with pytest.raises(SsmsimError, match="ACCELSIM_ROOT is not set"):
            make_plan(file, ROOT)
    else:
        assert make_plan(file, ROOT).runs
