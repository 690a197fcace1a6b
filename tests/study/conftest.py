"""A study in a folder of its own, and the analysis package on the path."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
from small_study import Folder, made_folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return made_folder(tmp_path)


@pytest.fixture(scope="session")
def done(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A small study that has run, once for all tests; they leave it so that the next can go on."""
    folder = made_folder(tmp_path_factory.mktemp("study"))
    finished = folder.snakemake("all")
    assert finished.returncode == 0, finished.stderr[-3000:]
    return folder
