"""A smallest study from a captured launch to a report: what runs again, what does not, and what a dead run leaves."""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pandas as pd
import pytest
import yaml
from small_study import ENVIRONMENT, PAGE, README, ROOT, SMALL, TINY, Folder, launch_folder

from analysis.readme import documents
from analysis.rulegraph import collapse

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("study")]  # all use one study, in order
ROWS = "results/rows.csv"
FIVE = [0.25, 0.5, 2, 4, 8]


def planned(folder: Folder, target: str = "all") -> dict[str, int]:
    """Jobs by rule that a dry run would start."""
    told = folder.snakemake("--dry-run", target)
    text = told.stdout + told.stderr
    if "Nothing to be done" in text:
        return {}
    table = re.search(r"^job +count\n[- ]+\n(.*?)\n\n", text, re.M | re.S)
    assert table, text
    return {name: int(count) for name, count in re.findall(r"^(\S+) +(\d+)$", table[1], re.M)}


def results(folder: Folder) -> dict[str, float]:
    """Modification time of every whole result; one that is being written has a name with a dot before it."""
    found = folder.path.glob(f"results/embedded/h100/tiny/{TINY}/[!.]*.json")
    return {file.name: file.stat().st_mtime for file in found}


def test_nothing_runs_twice(done: Folder) -> None:
    assert planned(done) == {}


def test_all_writes_under_results_alone(done: Folder) -> None:
    """The README states measured speeds of one machine: only `snakemake readme` touches it."""
    assert (done.path / "README.md").read_text() == README
    assert (done.path / "docs/results/index.md").read_text() == PAGE
    assert {path.name for path in done.path.iterdir()} - {"results", ".snakemake"} == {
        "README.md", "Snakefile", "analysis", "docs", "envs", "simconfigs", "traces"
    }  # fmt: skip


def test_readme_fills_the_blocks_of_every_document(done: Folder) -> None:
    made = done.snakemake("readme")
    assert made.returncode == 0, made.stderr[-3000:]
    assert "of another study" in (done.path / "README.md").read_text()
    assert "speed-up of the whole block" in (done.path / "README.md").read_text() or (
        "This study has no such result." in (done.path / "README.md").read_text()
    )
    assert len((done.path / "docs/results/index.md").read_text()) > len(PAGE)
    assert (done.path / "analysis/readme/study/cycles.png").stat().st_size > 0
    refused = done.snakemake("readme", "--config", "sample=true")
    assert refused.returncode != 0
    assert "the documents state what study.yaml says, not sample=" in refused.stderr
    assert planned(done) == {}, "nothing was taken back"


def test_another_study_runs_whole_after_one_that_has_run(done: Folder) -> None:
    """Also where its launches are others: an engine that is compiled stays so."""
    launch_folder(done.path, "other", "36-vectorized_elementwise_kernel")
    other = yaml.safe_load(SMALL) | {
        "selections": {"only": {"launches": {"other": ["*"]}, "configs": ["h100"]}}, "sample": False
    }  # fmt: skip
    (done.path / "other.yaml").write_text(yaml.safe_dump(other))
    made = done.snakemake("--dry-run", "all", "--config", "study=other.yaml")
    assert re.search(r"^simulate +1$", made.stdout, re.M) and re.search(r"^rows +1$", made.stdout, re.M), made.stdout
    shutil.rmtree(done.path / "traces/h100/other")


def test_report_opens_on_the_findings(done: Folder) -> None:
    made = done.snakemake("--report", "results/report.html", "all")
    assert made.returncode == 0, made.stderr[-3000:]
    page = (done.path / "results/report.html").read_text()
    for words in ("Findings", "What was run", "How to read it", "2 simulations of", "cycles"):
        assert words in page


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


def spoil(folder: Folder) -> None:
    """Five results, each wrong in another way, and rows.csv, which is made from them."""
    here = folder.path / f"results/embedded/h100/tiny/{TINY}"
    edited, cut, noise, lost, other = (here / f"dram@{factor}.cold.json" for factor in FIVE)
    text = edited.read_text()
    assert '"gpc__cycles_elapsed.max": ' in text
    edited.write_text(re.sub(r'("gpc__cycles_elapsed.max": )', r"\g<1>9", text))
    cut.write_text(cut.read_text()[:100])
    noise.write_bytes(bytes(range(256)) * 12)
    lost.unlink()
    shutil.copy(here / "h100.cold.json", other)


def test_results_that_are_lost_or_wrong_are_made_again(done: Folder) -> None:
    """One that was edited, cut, overwritten, deleted, or is another's: each is found while planning, and made again."""
    done.study(selections={"only": {"launches": {"tiny": ["*"]}, "sweeps": [{"dram": FIVE}]}})
    assert done.snakemake(ROWS).returncode == 0
    rows, before = (done.path / ROWS).read_text(), results(done)
    spoil(done)
    again = done.snakemake(ROWS)
    assert again.returncode == 0, again.stderr[-3000:]
    assert "are not those of the inputs any more" in again.stderr
    after = results(done)
    assert {name for name in after if after[name] != before[name]} == {f"dram@{factor}.cold.json" for factor in FIVE}
    costs = ["wall_seconds", "cpu_seconds", "peak_memory_bytes"]
    old, new = (pd.read_csv(io.StringIO(text)).drop(columns=costs) for text in (rows, (done.path / ROWS).read_text()))
    pd.testing.assert_frame_equal(old, new)
    assert planned(done, ROWS) == {}


def test_a_changed_cubin_simulates_again(done: Folder) -> None:
    """A modification time does not tell: the bytes do."""
    code = json.loads((done.path / f"traces/h100/tiny/{TINY}/launch.json").read_text())["cubin"]
    cubin = (done.path / f"traces/h100/tiny/{TINY}" / code).resolve()
    before, time_before = cubin.read_bytes(), cubin.stat()
    try:
        cubin.write_bytes(before + b"\0")
        os.utime(cubin, ns=(time_before.st_atime_ns, time_before.st_mtime_ns))
        assert planned(done, ROWS)["simulate"] == 1
    finally:
        cubin.write_bytes(before)
        os.utime(cubin, ns=(time_before.st_atime_ns, time_before.st_mtime_ns))


def killed_when(folder: Folder, ready: Callable[[], bool], *targets: str) -> None:
    """Run until `ready`, then SIGKILL to the run and all its jobs."""
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet", "all", "--", *targets]
    with subprocess.Popen(
        command, cwd=folder.path, env=ENVIRONMENT, stderr=subprocess.DEVNULL, start_new_session=True
    ) as run:
        deadline = time.monotonic() + 300
        while not ready() and run.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        os.killpg(run.pid, signal.SIGKILL)


def test_killed_while_simulating_it_goes_on(done: Folder) -> None:
    """A killed run leaves whole results and a lock; the same command takes over and keeps them."""
    sweep = [0.5, 0.75, 1.25, 1.5]
    done.study(selections={"only": {"launches": {"tiny": ["*"]}, "sweeps": [{"dram": sweep}]}})
    before = results(done)
    killed_when(done, lambda: len(results(done)) > len(before), ROWS)
    killed = results(done)
    assert len(before) < len(killed)
    again = done.snakemake(ROWS)
    assert again.returncode == 0, again.stderr[-3000:]
    after = results(done)
    assert {f"dram@{factor:g}.cold.json" for factor in sweep} <= set(after)
    assert {name: after[name] for name in killed} == killed
    assert not list(done.path.glob("results/**/.*.json*"))


def test_killed_while_making_a_table_it_goes_on(done: Folder) -> None:
    """Snakemake marks what a job may have left half-done; those marks must not stop the same command."""
    table = done.path / "results/tables/speedups.csv"
    table.unlink(missing_ok=True)
    marks = done.path / ".snakemake/incomplete"
    killed_when(done, lambda: any(file.is_file() for file in marks.rglob("*")), str(table.relative_to(done.path)))
    assert any(file.is_file() for file in marks.rglob("*"))
    table.write_text("half a line")
    again = done.snakemake(str(table.relative_to(done.path)))
    assert again.returncode == 0, again.stderr[-3000:]
    assert table.read_text() != "half a line"
    assert not (done.path / "results/.running").exists()


def test_the_cause_of_an_error_is_on_the_terminal(done: Folder) -> None:
    script = done.path / "analysis/tables/broken.py"
    script.write_text('import sys\n\nprint("a line of its log")\nsys.exit("ssmsim: the cause")\n')
    script.with_suffix(".rst").write_text("None.\n")
    try:
        failed = done.snakemake("results/tables/broken.csv")
    finally:
        script.unlink()
        script.with_suffix(".rst").unlink()
    assert failed.returncode != 0
    assert "ssmsim: the cause\n" in failed.stderr


def test_a_target_with_code_in_its_name_runs_none(done: Folder) -> None:
    for target in (f"results/embedded/h100/tiny/{TINY}/$(touch PWNED).done",
                   "results/captured/$(touch PWNED).done"):  # fmt: skip
        assert done.snakemake(target).returncode != 0
    assert not list(done.path.rglob("PWNED"))


def test_lint_is_clean(done: Folder) -> None:
    assert done.snakemake("--lint").returncode == 0


def test_rule_graph_in_the_documents_is_current() -> None:
    drawn = subprocess.run([sys.executable, "-m", "snakemake", "--rulegraph", "mermaid-js", "all"], cwd=ROOT, text=True,
                           capture_output=True, check=True)  # fmt: skip
    assert any(collapse(drawn.stdout) in page.read_text() for page in documents(ROOT))
