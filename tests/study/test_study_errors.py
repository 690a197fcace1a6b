"""What is wrong in a study is said in one line, before anything runs."""

import json
from pathlib import Path

import pytest
import yaml
from small_study import SMALL, TINY, Folder

from ssmsim.errors import SsmsimError
from ssmsim.study.plan import make_plan


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
        ({"axes": {"dram": {"dram.channels": -8}}}, ["sweep point dram@2", "dram.channels"]),
        ({"engines": ["steam"]}, ["engines", "steam", "embedded"]),
        ({"baseline": "h300"}, ["baseline", "h300"]),
        ({"selections": {}}, ["selections"]),
        ({"colour": "red"}, ["colour"]),
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
    (folder.path / "simconfigs/wrong.yaml").write_text("base: h200\nsm: {fp32_lanes: 64}\n")
    folder.study(**selection(configs=["wrong"]))
    with pytest.raises(SsmsimError, match=r"wrong\.yaml:2.*sm\.fp32_lanes"):
        make_plan("analysis/study.yaml", folder.path)


@pytest.mark.parametrize(("field", "value"), [("name", "NVIDIA A100"), ("compute_capability", [8, 0])])
def test_launch_of_another_gpu(folder: Folder, field: str, value: object) -> None:
    file = Path(folder.path, "traces/h200/tiny", TINY, "launch.json")
    launch = json.loads(file.read_text())
    launch["device"][field] = value
    file.write_text(json.dumps(launch))
    with pytest.raises(SsmsimError, match="captured on"):
        make_plan("analysis/study.yaml", folder.path)


def test_snakemake_stops_with_that_line_and_runs_nothing(folder: Folder) -> None:
    folder.study(**selection(configs=["vector_x3"]))
    done = folder.snakemake("all")
    assert done.returncode != 0
    assert "no configuration 'vector_x3'" in done.stderr
    assert not (folder.path / "results").exists()
