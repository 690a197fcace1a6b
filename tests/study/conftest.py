"""A study in a folder of its own, and the analysis package on the path."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
from small_study import Folder, made_folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return made_folder(tmp_path)
