"""A result's key has all that its numbers rest on."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from small_study import ROOT, TINY, Folder, launch_folder

import ssmsim
from ssmsim.counters import COUNTERS
from ssmsim.results import Result
from ssmsim.study import keys
from ssmsim.study.plan import Plan, make_plan

LOADED = """
import sys
from ssmsim.engines import open_engine
from ssmsim.study import batch
from ssmsim.engines.embedded import simulate
from ssmsim.engines.embedded.sampling import warm_caches, window
from ssmsim.tracers import open_tracer
open_tracer("emulated")
print("\\n".join(m.__file__ for n, m in sys.modules.items() if n.partition(".")[0] == "ssmsim" and m.__file__))
"""
# Loaded by a simulation, and no number rests on them.
HARMLESS = ("measured.py", "files.py", "errors.py", "engines/compile_cache.py", "study/__init__.py", "study/keys.py", "study/names.py",
            "study/plan.py", "study/points.py", "study/schema.py", "factorial.py")  # fmt: skip
PART = {"selections": {"only": {"launches": {"tiny": ["*"]}, "configs": ["smem_x2"], "part": {"sms": 16}}}}
BUFFER = "00-selective_scan_fwd_kernel"  # with contents


def planned(folder: Folder) -> Plan:
    return make_plan("analysis/study.yaml", folder.path)


def keys_of(folder: Folder) -> list[str]:
    plan = planned(folder)
    return [plan.key(run) for run in plan.runs]


def test_every_module_that_a_simulation_loads_is_in_the_digest() -> None:
    told = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True).stdout.split()
    package = Path(ssmsim.__file__).parent
    loaded = {str(Path(file).relative_to(package)) for file in told}
    assert "study/part.py" in loaded and "tracers/emulated/__init__.py" in loaded
    left_out = {file for file in loaded if any(file == part or file.startswith(f"{part}/") for part in keys.ELSEWHERE)}
    assert left_out <= set(HARMLESS)


def test_digests_of_engines_differ_and_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    keys.digest.cache_clear()
    before = keys.digest("embedded")
    keys.digest.cache_clear()
    assert keys.digest("embedded") == before
    keys.digest.cache_clear()
    monkeypatch.setattr(keys, "version", lambda name: "another")
    assert keys.digest("embedded") != before, "the disassembler's version counts"
    keys.digest.cache_clear()


@pytest.mark.parametrize("what", ["cubin", "contents", "launch", "config", "base", "sample", "clock"])
def test_each_input_changes_the_key(folder: Folder, what: str) -> None:
    launch_folder(folder.path, "more", BUFFER)
    only = {"launches": {"more": ["*"]}, "configs": ["smem_x2"]}
    folder.study(selections={"only": only})
    here = folder.path / "traces/h100/more" / BUFFER
    launch = json.loads((here / "launch.json").read_text())
    before = keys_of(folder)
    assert keys_of(folder) == before
    contents = next(buffer["contents"] for buffer in launch["buffers"] if buffer.get("contents"))
    simconfigs = folder.path / "simconfigs"
    if what == "cubin":
        (here / launch["cubin"]).write_bytes((here / launch["cubin"]).read_bytes() + b"\0")
    elif what == "contents":
        (here / contents).write_bytes((here / contents).read_bytes() + b" ")
    elif what == "launch":
        (here / "launch.json").write_text((here / "launch.json").read_text() + " ")
    elif what == "config":
        (simconfigs / "smem_x2.yaml").write_text("base: h100\nsm: {registers: 131072}\n")
    elif what == "base":
        (simconfigs / "smem_x2.yaml").write_text("base: dram_x1.5\nsm: {registers: 131072}\n")
    elif what == "sample":
        folder.study(selections={"only": only}, sample=True)
    else:
        head = "launch,cache,gpc__cycles_elapsed.max,gpu__time_duration.sum\n"
        (folder.path / "traces/h100/more/measured.csv").write_text(f"{head}{BUFFER},cold,3400,2000\n")
        folder.study(selections={"only": only}, clock="measured")
    after = keys_of(folder)
    changed = [key for key, old in zip(after, before, strict=True) if key != old]
    assert len(changed) == (1 if what in ("config", "base") else 2)


def test_a_piece_lies_around_the_baselines(folder: Folder) -> None:
    """Of a part of the GPU the baseline's piece counts, also for a configuration that has another base."""
    folder.study(**PART)
    before = {run.config: key for run, key in zip(planned(folder).runs, keys_of(folder), strict=True)}
    folder.study(**PART, baseline="h200", cross_device=True)
    after = {run.config: key for run, key in zip(planned(folder).runs, keys_of(folder), strict=True)}
    assert before["smem_x2"] != after["smem_x2"]


def test_a_result_is_current_when_whole_of_its_key_and_name(folder: Folder) -> None:
    plan = planned(folder)
    run = plan.runs[0]
    file, key = folder.path / run.path("h100"), plan.key(run)
    counters: dict[str, float | None] = dict.fromkeys(COUNTERS, 1.0)
    made = Result(launch=TINY, workload="tiny", config="h100", engine="embedded", digest=key, counters=counters)
    assert keys.current(file, key, run.names) is None
    made.write(file)
    assert keys.current(file, key, run.names) is not None
    assert keys.current(file, "0" * 32, run.names) is None
    for field in ("launch", "workload", "config", "engine"):
        made.model_copy(update={field: "other"}).write(file)
        assert keys.current(file, key, run.names) is None
    for damaged in (b"", b"{}", b"[]", b"null", bytes(range(256)), b'{"launch": ' * 2000):
        file.write_bytes(damaged)
        assert keys.current(file, key, run.names) is None


def test_the_study_of_the_project_has_keys_for_all_its_runs() -> None:
    plan = make_plan("analysis/study.yaml", ROOT)
    found = [plan.key(run) for run in plan.runs]
    assert len(found) == len(plan.results)
