"""A smallest search of a real launch, by the command and by Snakemake: it resumes, verifies whole, and says what it cannot reach."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml
from small_study import ENVIRONMENT, TINY, Folder

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("study")]
SMALL_SEARCH = {
    "device": "h100", "baseline": "h100", "launches": {"tiny": ["*"]},
    "axes": {"shared": {"shared.wavefronts_per_cycle": 1}, "noc": {"noc.reply_bytes_per_cycle_per_sm": 1}},
    "factors": {"shared": [0.5, 2], "noc": [2]}, "budget": 2, "parallel": 2, "seed": 3, "verify": 1,
}  # fmt: skip


def search(folder: Folder, cores: int = 1) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ssmsim.study.search", "small.yaml", "--cores", str(cores)]
    return subprocess.run(command, cwd=folder.path, text=True, capture_output=True, check=False, env=ENVIRONMENT)


@pytest.fixture
def ready(folder: Folder) -> Folder:
    (folder.path / "small.yaml").write_text(yaml.safe_dump(SMALL_SEARCH))
    return folder


def points(folder: Folder) -> list[Path]:
    return sorted((folder.path / f"results/searches/small/points/tiny/{TINY}").glob("*.json"))


def test_a_search_writes_its_tables_and_goes_on(ready: Folder) -> None:
    done = search(ready)
    assert done.returncode == 0, done.stderr
    out = ready.path / "results/searches/small"
    tables = {name: (out / f"{name}.csv").read_bytes() for name in ("steps", "front", "winners")}
    made = points(ready)
    assert f"{len(made)} simulations were run" in done.stdout
    assert {"h100.sampled.json", "h100.whole.json"} <= {file.name for file in made}
    steps = pd.read_csv(out / "steps.csv")
    assert (steps.groupby("method").size() == 2).all() and (out / "front.png").stat().st_size
    made[0].unlink()
    made[1].write_text(made[1].read_text().replace("0", "1", 1))  # damaged
    again = search(ready, cores=2)
    assert again.returncode == 0 and "2 simulations were run" in again.stdout, again.stdout + again.stderr
    assert tables == {name: (out / f"{name}.csv").read_bytes() for name in tables}


def test_what_cannot_be_reached_is_one_line_after_one_simulation(ready: Folder) -> None:
    (ready.path / "small.yaml").write_text(yaml.safe_dump(SMALL_SEARCH | {"target": 3}))
    done = search(ready)
    assert done.returncode == 1 and "target: 3 cannot be reached" in done.stderr and done.stderr.count("\n") == 1
    assert len(points(ready)) == 2  # baseline and largest


def test_snakemake_searches_and_leaves_the_study_alone(ready: Folder) -> None:
    done = ready.snakemake("search", "--config", "study=small.yaml")
    assert done.returncode == 0, done.stderr[-3000:]
    assert (ready.path / "results/searches/small/winners.csv").is_file()
    assert not (ready.path / "results/rows.csv").exists()
    refused = ready.snakemake("all", "--config", "study=small.yaml")  # a search is no study
    assert refused.returncode != 0 and "small.yaml" in refused.stdout + refused.stderr
    (ready.path / "small.yaml").write_text(yaml.safe_dump(SMALL_SEARCH | {"factors": {"shared": [0], "noc": [2]}}))
    wrong = ready.snakemake("search", "--config", "study=small.yaml")
    assert wrong.returncode != 0 and "factors.shared.0" in wrong.stdout + wrong.stderr
