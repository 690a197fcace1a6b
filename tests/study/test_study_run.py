"""A smallest study from a captured launch to a report: what runs again, what does not, and what a dead run leaves."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from small_study import ROOT, TINY, Folder, made_folder

from analysis.readme import MARK, PICTURE, SECTIONS
from analysis.rulegraph import collapse
from ssmsim.study.rows import measured_rows

ROWS = "results/rows.csv"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A small study that has run."""
    folder = made_folder(tmp_path_factory.mktemp("study"))
    finished = folder.snakemake("all")
    assert finished.returncode == 0, finished.stderr[-3000:]
    return folder


def planned(folder: Folder, *arguments: str) -> dict[str, int]:
    """Jobs by rule that a dry run would start."""
    told = folder.snakemake("--dry-run", *arguments, "all")
    text = told.stdout + told.stderr
    if "Nothing to be done" in text:
        return {}
    table = re.search(r"^job +count\n[- ]+\n(.*?)\n\n", text, re.M | re.S)
    assert table, text
    return {name: int(count) for name, count in re.findall(r"^(\S+) +(\d+)$", table[1], re.M)}


def results(folder: Folder) -> dict[str, float]:
    """Modification time of every whole result; one that is being written has a name with a dot before it."""
    found = folder.path.glob(f"results/embedded/h200/tiny/{TINY}/[!.]*.json")
    return {file.name: file.stat().st_mtime for file in found}


def test_every_table_and_figure_is_there(done: Folder) -> None:
    for kind, ending in (("tables", "csv"), ("figures", "png")):
        for script in (done.path / "analysis" / kind).glob("[!_]*.py"):
            assert (done.path / "results" / kind / f"{script.stem}.{ending}").stat().st_size > 0
            assert script.with_suffix(".rst").read_text().strip()
    rows = pd.read_csv(done.path / "results/rows.csv")
    assert set(rows[rows.engine == "embedded"].config) == {"h200", "dram@2"}
    assert (rows[rows.engine == "embedded"]["smsp__inst_executed.sum"] > 0).all()


def test_nothing_runs_twice(done: Folder) -> None:
    assert planned(done) == {}


def test_report(done: Folder) -> None:
    made = done.snakemake("--report", "results/report.html", "all")
    assert made.returncode == 0, made.stderr[-3000:]
    assert "heatmap" in (done.path / "results/report.html").read_text()


def test_a_new_figure_is_a_script_and_a_caption(done: Folder) -> None:
    figures = done.path / "analysis/figures"
    shutil.copy(figures / "cycles.py", figures / "mine.py")
    shutil.copy(figures / "cycles.rst", figures / "mine.rst")
    try:
        assert {rule: n for rule, n in planned(done).items() if rule.startswith(("figures", "tables", "simulate"))} == {
            "figures_mine": 1
        }
    finally:
        (figures / "mine.py").unlink()
        (figures / "mine.rst").unlink()


def test_only_the_edited_configuration_runs_again(done: Folder) -> None:
    done.study(selections={"only": {"launches": {"tiny": ["*"]}, "configs": ["vector_x2", "l2_x2"]}})
    assert done.snakemake(ROWS).returncode == 0
    before = results(done)
    edited = done.path / "simconfigs/vector_x2.yaml"
    edited.write_text(edited.read_text().replace("xu_lanes_per_subcore: 8", "xu_lanes_per_subcore: 16"))
    assert planned(done)["simulate"] == 1
    assert done.snakemake(ROWS).returncode == 0
    after = results(done)
    assert {name for name in after if after[name] != before.get(name)} == {"vector_x2.cold.json"}


def test_killed_outright_it_goes_on(done: Folder) -> None:
    """A killed run leaves whole results and a lock; the same command takes over and keeps them."""
    sweep = [0.25, 0.5, 0.75, 1.25, 1.5, 1.75]
    done.study(selections={"only": {"launches": {"tiny": ["*"]}, "sweeps": [{"dram": sweep}]}})
    before = results(done)
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet", "all", "--", ROWS]
    with subprocess.Popen(command, cwd=done.path, stderr=subprocess.DEVNULL, start_new_session=True) as run:
        deadline = time.monotonic() + 60
        while len(results(done)) == len(before) and time.monotonic() < deadline:
            time.sleep(0.02)
        os.killpg(run.pid, signal.SIGKILL)
    killed = results(done)
    assert len(before) < len(killed)
    again = done.snakemake(ROWS)
    assert again.returncode == 0, again.stderr[-3000:]
    after = results(done)
    assert len(after) == len(before) + len(sweep)
    assert {name: after[name] for name in killed} == killed
    assert not list(done.path.glob("results/**/.*.json.*"))


def test_lint_is_clean(done: Folder) -> None:
    assert done.snakemake("--lint").returncode == 0


def test_rule_graph_in_the_readme_is_current() -> None:
    drawn = subprocess.run([sys.executable, "-m", "snakemake", "--rulegraph", "mermaid-js", "all"], cwd=ROOT, text=True,
                           capture_output=True, check=True)  # fmt: skip
    assert collapse(drawn.stdout) in (ROOT / "README.md").read_text()


def test_every_marked_section_of_the_readme_is_written_by_the_study() -> None:
    page = (ROOT / "README.md").read_text()
    found = {(study, section) for _, study, section, _ in MARK.findall(page)}
    assert {section for _, section in found} == set(SECTIONS)
    assert len(MARK.findall(page)) == page.count("<!-- begin")
    for study in {study for study, _ in found} | {study for study, _ in PICTURE.findall(page)}:
        assert (ROOT / f"analysis/{study}.yaml").is_file()


def test_snakefile_stays_short() -> None:
    assert len(Path(ROOT, "Snakefile").read_text().splitlines()) <= 120


def test_l2_counters_of_warm_launches_that_ran_over_their_own_data_are_left_out(tmp_path):
    file = tmp_path / "measured.csv"
    file.write_text("launch,cache,lts__a,lts__b,sm__c\n00,cold,1,2,3\n00,warm,4,5,6\n")
    columns = {"lts__a": {"warm": "own"}, "lts__b": {"warm": "sequence"}, "sm__c": {"warm": "own"}}
    (tmp_path / "measured.schema.json").write_text(json.dumps({"columns": columns}))
    cold, warm = measured_rows(file)
    assert (cold["lts__a"], cold["lts__b"], cold["sm__c"]) == (1, 2, 3)
    assert pd.isna(warm["lts__a"]) and (warm["lts__b"], warm["sm__c"]) == (5, 6)
