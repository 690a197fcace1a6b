"""A clone of an input keeps its recipe, as long as its bytes are the input's."""

from types import SimpleNamespace
from typing import Any

import pytest

from ssmsim.capture import copies
from ssmsim.capture.copies import Copies
from ssmsim.capture.describe import Described
from ssmsim.contents import make

RECIPE = {"kind": "normal", "seed": 3, "count": 100, "scale": 1.0, "offset": 0.0, "dtype": "bfloat16"}
INPUT, CLONE, OTHER = 0x1000, 0x2000, 0x3000


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> dict[int, bytes]:
    """Device memory by address, with an input whose recipe is known."""
    data = make(RECIPE)
    held = {INPUT: data, CLONE: data + bytes(56), OTHER: bytes(len(data))}
    monkeypatch.setattr(copies, "TENSORS", {INPUT: Described("dt", INPUT, 200, "bfloat16", (100,), (1,), RECIPE)})
    read = SimpleNamespace(synchronize=lambda: None, read_memory=lambda address, count: held[address][:count])
    monkeypatch.setattr(copies, "driver", read)
    return held


def recognised(noted: list[tuple[int, int, int]], address: int = CLONE) -> dict[str, Any]:
    made, buffer = Copies(), {"address": address, "bytes": 256}
    for copy in noted:
        made.note(*copy)
    made.recognise([buffer])
    return buffer


def test_a_clone_and_its_clone_have_the_inputs_recipe(memory: dict[int, bytes]) -> None:
    assert recognised([(CLONE, INPUT, 200)]) == {"address": CLONE, "bytes": 200, "recipe": "dt", "tensor": "dt"}
    memory[OTHER] = memory[INPUT]
    assert recognised([(CLONE, INPUT, 200), (OTHER, CLONE, 200)], OTHER)["recipe"] == "dt"


def test_a_clone_that_was_written_is_none(memory: dict[int, bytes]) -> None:
    memory[CLONE] = bytes(1) + memory[CLONE][1:]
    assert "recipe" not in recognised([(CLONE, INPUT, 200)])


def test_parts_and_later_copies_over_it_are_none(memory: dict[int, bytes]) -> None:
    assert "recipe" not in recognised([(CLONE, INPUT, 100)])
    assert "recipe" not in recognised([(CLONE, INPUT, 200), (CLONE, OTHER, 200)])
    assert "recipe" not in recognised([])
