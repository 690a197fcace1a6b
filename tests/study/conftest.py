"""A study in a folder of its own."""

import shutil
from pathlib import Path

import pytest
from small_study import ROOT, TINY, Folder, launch_folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    shutil.copy(ROOT / "Snakefile", tmp_path)
    shutil.copy(ROOT / "README.md", tmp_path)
    for part in ("analysis", "simconfigs", "envs"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    launch_folder(tmp_path, "tiny", TINY)
    made = Folder(tmp_path)
    made.study()
    return made
