"""What a small study is made of: the project's Snakefile and analysis, a launch of one block, a study file."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
TINY = "37-vectorized_elementwise_kernel"  # one block of 128 threads
DRAWN = ("cycles",)  # all figures are drawn, all tables made in test_study_figures
MADE = ("accuracy", "accuracy_summary", "held_out", "speedups")  # what the documents and the report's front page need
README = """# Mamba

<!-- begin study.headline -->
<!-- end study.headline -->
<!-- begin full.headline -->
of another study
<!-- end full.headline -->
"""
PAGE = """<!-- begin study.accuracy -->
<!-- end study.accuracy -->
![Cycles](../../analysis/readme/study/cycles.png)
"""
SMALL = """
device: h100
baseline: h100
engines: [embedded]
sample: false
axes: {dram: {dram.peak_gb_per_s: 1}}
selections:
  only:
    launches: {tiny: ["*"]}
    configs: [h100]
    sweeps: [{dram: [2]}]
"""


# One block of four warps is simulated by Python itself in less time than Numba compiles the engine in.
ENVIRONMENT = os.environ | {"NUMBA_DISABLE_JIT": "1"}


class Folder:
    """A copy of what a study is made of."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def study(self, text: str = SMALL, **changes: object) -> None:
        """Write analysis/study.yaml: `text` with top-level fields replaced."""
        (self.path / "analysis/study.yaml").write_text(yaml.safe_dump(yaml.safe_load(text) | changes))

    def snakemake(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "snakemake", "--cores", "2", *arguments], cwd=self.path, text=True,
                              capture_output=True, check=False, env=ENVIRONMENT)  # fmt: skip


def launch_folder(root: Path, workload: str, launch: str, device: str = "h100") -> Path:
    """A captured launch of the project, copied under traces/ of another folder, as a workload of its own."""
    source = next((ROOT / "traces" / device).glob(f"*/{launch}"))
    shutil.copytree(source, root / "traces" / device / workload / launch, symlinks=False)
    for shared in ("cubins", "inputs"):
        if (source.parent / shared).is_dir():
            shutil.copytree(source.parent / shared, root / "traces" / device / workload / shared)
    return root / "traces" / device / workload / launch


def made_folder(path: Path) -> Folder:
    """A small study in `path`, ready to run."""
    shutil.copy(ROOT / "Snakefile", path)
    (path / "README.md").write_text(README)
    (path / "docs/results").mkdir(parents=True)
    (path / "docs/results/index.md").write_text(PAGE)
    for part in ("analysis", "simconfigs", "envs"):
        shutil.copytree(ROOT / part, path / part, ignore=shutil.ignore_patterns("__pycache__"))
    for script in [*(path / "analysis/figures").iterdir(), *(path / "analysis/tables").iterdir()]:
        if script.stem not in (*DRAWN, *MADE):
            script.unlink()
    launch_folder(path, "tiny", TINY)
    folder = Folder(path)
    folder.study()
    return folder
