"""Workloads: declared objects found by listing; their inputs are recipes; their autotuning can be pinned."""

import json
import math
import sys
from pathlib import Path

import pytest

import ssmsim.workloads as package
from ssmsim.errors import SsmsimError
from ssmsim.workloads import open_workload, workloads

TRACES = Path(__file__).parents[2] / "traces" / "h200"


def test_every_module_is_a_workload():
    names = set(workloads())
    assert {"mamba2-2.7b", "mamba2-8b", "mamba1-2.8b", "ssd-small", "ssd-ragged", "mamba1-small", "empty"} <= names


def test_a_new_file_is_a_new_workload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "another.py").write_text(
        "from ssmsim.workloads import Workload\nWORKLOAD = Workload('another', {}, (), lambda tensors: dict)\n"
    )
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    assert open_workload("another").shapes == {}
    sys.modules.pop("ssmsim.workloads.another", None)


@pytest.mark.parametrize("name", sorted(workloads()))
def test_inputs_fit_their_recipes(name: str):
    inputs = open_workload(name).inputs
    for item in inputs:
        assert item.recipe["count"] == math.prod(item.shape)
    seeds = [item.recipe["seed"] for item in inputs if "seed" in item.recipe]
    assert len(seeds) == len(set(seeds)), "no two inputs are the same numbers"


def test_captured_shapes_are_the_declared_ones():
    for name, workload in workloads().items():
        for file in sorted((TRACES / name).glob("*/launch.json"))[:1]:
            assert json.loads(file.read_text())["provenance"]["shapes"] == workload.shapes


def test_unknown_workload():
    with pytest.raises(SsmsimError, match=r"no workload 'mamba9'; choose one of .*mamba2-8b"):
        open_workload("mamba9")
