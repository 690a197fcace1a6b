"""Names become files and arguments: one that a shell would read, or that leaves its folder, is refused while planning."""

import json
import shutil
from pathlib import Path

import pytest
import yaml
from small_study import SMALL, TINY, Folder

from ssmsim.errors import SsmsimError
from ssmsim.study.before import sequence
from ssmsim.study.names import check_file_name, check_name, check_script
from ssmsim.study.plan import make_plan
from ssmsim.study.schema import read_study

STUDY = "analysis/study.yaml"


def refused(folder: Folder, match: str, study: str = STUDY, **options: object) -> None:
    """Planning stops with one line; nothing ran."""
    with pytest.raises(SsmsimError, match=match) as error:
        make_plan(study, folder.path, **options)
    assert "\n" not in str(error.value)


BAD = ["38-x$(touch PWNED)", "38 x", "38-'x", '38-"x', "38;ls", "38&x", "38|x", "38>x", "`id`", "38\\x", "-rf", "--help", "38*",
       "38-\u00fc", "38\nx", "38{x}", "x" * 129, ".hidden", "..", ".", "", "a/b", "/tmp", "\u0661"]  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(SsmsimError, match="is not a name") as error:
        check_name(name, "launch")
    assert "\n" not in str(error.value)


def test_launch_folders(folder: Folder) -> None:
    workload = folder.path / "traces/h100/tiny"
    for name in ("38-x$(touch PWNED)", "38 x", "-rf"):
        shutil.copytree(workload / TINY, workload / name)
        refused(folder, "launch folder .* is not a name")
        shutil.rmtree(workload / name)


@pytest.mark.parametrize(
    "field", ["workload", "selection", "config", "axis", "engine", "device", "baseline", "held_out"]
)
def test_names_in_the_study(tmp_path: Path, field: str) -> None:
    file = tmp_path / "study.yaml"
    for name in BAD:
        selection: dict[str, object] = {"launches": {"tiny": ["*"]}, "configs": ["h100"]}
        changes: dict[str, object] = {"selections": {"only": selection}}
        if field == "workload":
            changes = {"selections": {"only": selection | {"launches": {name: ["*"]}}}}
        elif field == "selection":
            changes = {"selections": {name: selection}}
        elif field == "config":
            changes = {"selections": {"only": selection | {"configs": [name]}}}
        elif field == "axis":
            changes = {"axes": {name: {"dram.peak_gb_per_s": 1}}} | changes
        else:
            changes[{"engine": "engines"}.get(field, field)] = [name] if field in ("engine", "held_out") else name
        file.write_text(yaml.safe_dump(yaml.safe_load(SMALL) | changes))
        with pytest.raises(SsmsimError, match="is not a name"):
            read_study(file)


@pytest.mark.parametrize("name", ["$(touch PWNED).yaml", "a b.yaml", "-x.yaml", "x;y.yaml"])
def test_study_file(folder: Folder, name: str) -> None:
    shutil.copy(folder.path / STUDY, folder.path / "analysis" / name)
    refused(folder, "study .* is not a name", f"analysis/{name}")


@pytest.mark.parametrize("sample", ["maybe", "$(touch PWNED)", "", 1, [], None])
def test_option(folder: Folder, sample: object) -> None:
    if sample is None:
        assert make_plan(STUDY, folder.path, sample="True").sample is True
        assert make_plan(STUDY, folder.path, sample=False).sample is False
        assert make_plan(STUDY, folder.path).sample is False
    else:
        refused(folder, "neither true nor false", sample=sample)


@pytest.mark.pipeline
def test_options_reach_snakemake_whole(folder: Folder) -> None:
    done = folder.snakemake("-n", "all", "--config", "sampel=true")
    assert done.returncode != 0
    assert "no option 'sampel'; there are study and sample" in done.stdout + done.stderr


@pytest.mark.parametrize("what", ["launch", "workload", "cubin", "contents", "config"])
def test_links_out(folder: Folder, tmp_path_factory: pytest.TempPathFactory, what: str) -> None:
    away = tmp_path_factory.mktemp("away")
    workload = folder.path / "traces/h100/tiny"
    file = workload / TINY / "launch.json"
    launch = json.loads(file.read_text())
    cubin = (file.parent / launch["cubin"]).resolve()
    moved = {
        "launch": workload / TINY,
        "workload": workload,
        "cubin": cubin,
        "config": folder.path / "simconfigs/h100.yaml",
    }
    if what == "contents":
        (away / "x.bin").write_bytes(b"0" * 64)
        (workload / "x.bin").symlink_to(away / "x.bin")
        launch["buffers"][0]["contents"] = "../x.bin"
        file.write_text(json.dumps(launch))
    else:
        shutil.move(moved[what], away / moved[what].name)
        moved[what].symlink_to(away / moved[what].name)
        if what == "launch":
            shutil.copytree(workload / "cubins", away / "cubins")
    refused(folder, "lies outside")


@pytest.mark.parametrize("path", ["absolute", "../../../../../x.cubin", "../../../other/x.cubin"])
def test_cubin_elsewhere(folder: Folder, path: str) -> None:
    file = folder.path / "traces/h100/tiny" / TINY / "launch.json"
    launch = json.loads(file.read_text())
    cubin = (file.parent / launch["cubin"]).resolve()
    if path != "absolute":
        there = file.parent / path
        there.resolve().parent.mkdir(exist_ok=True, parents=True)
        shutil.copy(cubin, there.resolve())
    file.write_text(json.dumps(launch | {"cubin": str(cubin) if path == "absolute" else path}))
    refused(folder, "absolute path|lies outside")


def test_the_whole_traces_folder_may_be_a_link(folder: Folder, tmp_path_factory: pytest.TempPathFactory) -> None:
    away = tmp_path_factory.mktemp("away") / "traces"
    shutil.move(folder.path / "traces", away)
    (folder.path / "traces").symlink_to(away)
    assert make_plan(STUDY, folder.path).runs


def test_scripts_are_python_names() -> None:
    assert check_script("cycles_2", "analysis/figures") == "cycles_2"
    for name in ("x$(touch PWNED)", "a b", "a-b", "2d", "a.b", "", "\u00fc"):
        with pytest.raises(SsmsimError, match="is not a name"):
            check_script(name, "analysis/figures")


def test_a_sweep_point_whose_file_name_is_too_long(folder: Folder) -> None:
    axes = {f"a{number:02}{'x' * 60}": {"dram.peak_gb_per_s": 1} for number in range(5)}
    folder.study(
        axes=axes, selections={"only": {"launches": {"tiny": ["*"]}, "sweeps": [{name: [1.5] for name in axes}]}}
    )
    refused(folder, "characters")
    assert check_file_name("results/" + "x" * 200) and check_name("x" * 128, "launch")


@pytest.mark.parametrize(
    "text",
    ['{"operations": [', "[]", "{}", '{"operations": [1]}', '{"operations": null}', b"\xff\xfe", '{"operations": [{"launch": 3}]}',
     '{"operations": [{"launch": "../x"}]}', "[" * 100_000],
)  # fmt: skip
def test_sequence_of_another_format(tmp_path: Path, text: str | bytes) -> None:
    (tmp_path / "sequence.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SsmsimError, match=r"sequence\.json") as error:
        sequence(tmp_path)
    assert "\n" not in str(error.value)
