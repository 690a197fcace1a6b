"""Triton's autotuner chooses in a measuring run as it did in the capture, without a line in the user's program."""

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from ssmsim.capture import inside, measure, tuning
from ssmsim.launch import read_launch

CAPTURES = Path(__file__).parents[1] / "data/captures"
KEY = (256, 64, "torch.bfloat16")


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "_choices", {})


def configuration(warps: int) -> SimpleNamespace:
    return SimpleNamespace(kwargs={"BLOCK": 64}, num_warps=warps, num_stages=3, num_ctas=1, maxnreg=None)


def kernel() -> None: ...


def test_recorded_tuning_is_used_and_new_choices_are_kept(tmp_path: Path):
    tuner = SimpleNamespace(base_fn=kernel, configs=[configuration(4), configuration(8)])
    first = tuning._Pinned(tuner)
    assert KEY not in first
    first[KEY] = tuner.configs[1]
    tuning.keep_tuning(tmp_path / "tuning.json")
    assert "kernel [256, 64, 'torch.bfloat16']" in json.loads((tmp_path / "tuning.json").read_text())
    later = tuning._Pinned(SimpleNamespace(base_fn=kernel, configs=[configuration(4), configuration(8)]))
    assert KEY in later and later[KEY].num_warps == 8
    assert (128, 64, "torch.bfloat16") not in later
    other = tuning._Pinned(SimpleNamespace(base_fn=kernel, configs=[configuration(2)]))
    assert KEY not in other, "a choice that this version of the kernel no longer offers is tuned anew"


def autotuner(monkeypatch: pytest.MonkeyPatch) -> type:
    """A module where Triton's is, with an autotuner that prefers the last configuration."""

    class Autotuner:
        def __init__(self, configs: list[Any]) -> None:
            self.base_fn, self.configs, self.cache = kernel, configs, {}

        def choose(self) -> int:
            if KEY not in self.cache:
                self.cache[KEY] = self.configs[-1]
            return int(self.cache[KEY].num_warps)

    module = ModuleType("triton.runtime.autotuner")
    module.Autotuner = Autotuner  # type: ignore[attr-defined]
    for name in ("triton", "triton.runtime"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "triton.runtime.autotuner", module)
    return Autotuner


def test_a_measuring_run_chooses_as_the_capture_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    first = autotuner(monkeypatch)
    inside._pin({})
    assert first([configuration(4), configuration(8)]).choose() == 8
    tuning.keep_tuning(tmp_path / tuning.TUNING)
    tuning._choices.clear()
    second = autotuner(monkeypatch)  # another process
    inside._pin({"tuning": str(tmp_path / tuning.TUNING)})
    assert second([configuration(8), configuration(4)]).choose() == 8


def test_a_program_without_an_autotuner_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "triton.runtime.autotuner", None)
    inside._pin({})
    tuning.keep_tuning(tmp_path / tuning.TUNING)
    assert list(tmp_path.iterdir()) == []


def test_a_run_is_told_of_the_choices_beside_the_capture(tmp_path: Path):
    launches = {"00": read_launch(next(CAPTURES.glob("ssd-small/00-*")))}
    assert measure.tuning_of(launches) == {}
    launches["00"]._folder = tmp_path / "00"
    (tmp_path / tuning.TUNING).write_text("{}")
    assert measure.tuning_of(launches) == {"tuning": str(tmp_path / tuning.TUNING)}
