"""What is wrong in a study is said in one line, before anything runs."""

import json
from pathlib import Path

import pytest
import yaml
from small_study import SMALL, TINY, Folder

from ssmsim.errors import SsmsimError
from ssmsim.study.plan import make_plan
from ssmsim.study.schema import read_study


def selection(**changes: object) -> dict[str, object]:
    """The small study's selection, changed."""
    return {"selections": {"only": yaml.safe_load(SMALL)["selections"]["only"] | changes}}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (selection(launches={"tiny": ["no-such*"]}), ["selections.only.launches.tiny", "no-such*", TINY]),
        (selection(launches={"absent": ["*"]}), ["selections.only.launches", "absent"]),
        (selection(launches={"tiny": []}), ["selections.only.launches", "no launch"]),
        (selection(launches={}), ["selections.only.launches"]),
        (selection(configs=["vector_x3"]), ["selections.only.configs", "vector_x3", "vector_x2"]),
        (selection(configs=[], sweeps=[]), ["selects nothing"]),
        (selection(sweeps=[{"clock": [2]}]), ["no axis 'clock'", "dram"]),
        (selection(sweeps=[{"dram": [0]}]), ["sweeps.0.dram.0", "greater than 0"]),
        (selection(caches=["tepid"]), ["caches.0", "cold"]),
        (selection(speed="fast"), ["selections.only.speed"]),
        ({"axes": {"dram": {"dram.peak_gb_per_fortnight": 1}}}, ["axes.dram", "dram.peak_gb_per_fortnight"]),
        (
            {"axes": {"dram": {"dram.channels": -4}}} | selection(sweeps=[{"dram": [1024]}]),
            ["configuration dram@1024", "dram"],
        ),
        ({"engines": ["steam"]}, ["engines", "steam", "embedded"]),
        ({"baseline": "h300"}, ["baseline", "h300"]),
        ({"selections": {}}, ["selections"]),
        ({"colour": "red"}, ["colour"]),
        (selection(sweeps=[{"dram": [2, 2]}]), ["sweeps.0.dram", "2.0 is there twice"]),
        (selection(sweeps=[{}]), ["sweeps.0", "no axis"]),
        (selection(sweeps=[{"dram": [float("nan")]}]), ["sweeps.0.dram.0"]),
        (selection(sweeps=[{"dram": [1e9]}]), ["sweeps.0.dram.0", "1024", "1000000000.0"]),
        (selection(sweeps=[{"dram": ["2"]}]), ["sweeps.0.dram.0", "valid number"]),
        (selection(configs=["h100", "h100"]), ["configs", "'h100' is there twice"]),
        (selection(caches=["cold", "cold"]), ["caches", "twice"]),
        (selection(launches={"tiny": ["*", "*"]}), ["launches.tiny", "twice"]),
        ({"engines": ["embedded", "embedded"]}, ["engines", "twice"]),
        ({"axes": {"dram": {"dram.peak_gb_per_s": 300}}}, ["axes.dram", "less than or equal to 4", "300"]),
        ({"sample": 1}, ["sample", "boolean", "'1'"]),
        ({"clock": "wall"}, ["clock", "measured"]),
        (selection(sweeps=[], part={"sms": 134}), ["part.sms", "134", "132 SMs"]),
        (selection(sweeps=[], part={"sms": -2}), ["part.sms"]),
        (selection(sweeps=[], part={"sms": 16, "waves": float("inf")}), ["part.waves"]),
        (selection(sweeps=[], blocks=-3), ["blocks"]),
    ],
)
def test_error_names_field_and_remedy(folder: Folder, changes: dict[str, object], words: list[str]) -> None:
    folder.study(**changes)
    with pytest.raises(SsmsimError) as error:
        make_plan("analysis/study.yaml", folder.path)
    text = str(error.value)
    assert "\n" not in text
    for word in words:
        assert word in text


def test_missing_study_file_is_named(folder: Folder) -> None:
    with pytest.raises(SsmsimError, match="no such study file"):
        make_plan("analysis/other.yaml", folder.path)


def test_unknown_field_in_a_configuration_is_found_while_planning(folder: Folder) -> None:
    (folder.path / "simconfigs/wrong.yaml").write_text("base: h100\nsm: {fp32_lanes: 64}\n")
    folder.study(**selection(configs=["wrong"]))
    with pytest.raises(SsmsimError, match=r"wrong\.yaml:2.*sm\.fp32_lanes"):
        make_plan("analysis/study.yaml", folder.path)


@pytest.mark.parametrize(("field", "value"), [("name", "NVIDIA A100"), ("compute_capability", [8, 0])])
def test_launch_of_another_gpu(folder: Folder, field: str, value: object) -> None:
    file = Path(folder.path, "traces/h100/tiny", TINY, "launch.json")
    launch = json.loads(file.read_text())
    launch["device"][field] = value
    file.write_text(json.dumps(launch))
    with pytest.raises(SsmsimError, match="captured on"):
        make_plan("analysis/study.yaml", folder.path)


@pytest.mark.pipeline
def test_snakemake_stops_with_that_line_and_runs_nothing(folder: Folder) -> None:
    folder.study(**selection(configs=["vector_x3"]))
    done = folder.snakemake("all")
    assert done.returncode != 0
    assert "no configuration 'vector_x3'" in done.stderr
    assert not (folder.path / "results").exists()


def test_a_sweep_of_more_points_than_memory_is_refused_at_once(folder: Folder) -> None:
    axes = {f"a{number}": {"dram.peak_gb_per_s": 1} for number in range(8)}
    sweep = {name: [1 + step / 32 for step in range(20)] for name in axes}
    folder.study(axes=axes, **selection(sweeps=[sweep]))
    with pytest.raises(SsmsimError, match=r"sweeps\.0 has 25,600,000,000 points, at most 4,096 run"):
        make_plan("analysis/study.yaml", folder.path)


def test_a_study_of_more_runs_than_a_day_is_refused(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ssmsim.study.plan.MOST_RUNS", 2)
    with pytest.raises(SsmsimError, match="3 simulations, at most 2 make a study"):
        make_plan("analysis/study.yaml", folder.path)


@pytest.mark.parametrize(
    ("text", "instead", "words"),
    [
        ("device: h100", "device: h100\ndevice: h200", ["study.yaml:3", "field device", "twice"]),
        ("sample: false", "sample: on", ["study.yaml:5", "sample", "boolean", "'on'"]),
        ("dram: [2]", "dram: [010]", ["sweeps.0.dram.0", "010"]),
        ("dram: [2]", "dram: [1:30]", ["sweeps.0.dram.0", "'1:30'"]),
        ("dram: [2]", "dram: [.inf]", ["sweeps.0.dram.0"]),
        ("device: h100", "device: !!python/object/apply:os.system ['touch PWNED']", ["study.yaml:2", "tag"]),
        ("device: h100", "? [a, b]\n: 1", ["study.yaml:2", "a key"]),
        ("device: h100", "device: [", ["not YAML"]),
        (SMALL, "[" * 5000, ["deep"]),
        ("device: h100", "device: \0", ["not YAML"]),
        (SMALL, "", ["field study"]),
        (SMALL, "just text\n", ["field study"]),
    ],
)
def test_study_files_that_say_something_else(tmp_path: Path, text: str, instead: str, words: list[str]) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(SMALL.replace(text, instead))
    with pytest.raises(SsmsimError) as error:
        read_study(file)
    assert "\n" not in str(error.value)
    for word in words:
        assert word in str(error.value)


def test_factors_that_differ_have_names_that_differ(folder: Folder) -> None:
    close = [1.00000001, 1.00000002, 2]
    folder.study(**selection(sweeps=[{"dram": close}]))
    plan = make_plan("analysis/study.yaml", folder.path)
    assert [plan.configs[f"dram@{factor!r}"].dram.peak_gb_per_s for factor in close] == [
        factor * plan.configs["h100"].dram.peak_gb_per_s for factor in close
    ]
