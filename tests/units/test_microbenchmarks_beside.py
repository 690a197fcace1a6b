"""Loops of two GPUs beside each other: those that both have, by program."""

import json
from pathlib import Path

from ssmsim.microbenchmarks.beside import differences, row


def test_loops_that_both_have_are_compared(tmp_path: Path) -> None:
    for gpu, rates in (("one", {"a": 100, "b": 50, "c": 1}), ("other", {"a": 102, "b": 50, "d": 1})):
        file = tmp_path / gpu / "sm" / "program.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"loops": {name: {"cycles_per_round": rate} for name, rate in rates.items()}}))
    (found,) = differences(tmp_path / "one", tmp_path / "other")
    assert found[0] == "sm/program" and row(*found) == ["sm/program", "2", "1", "2", "1.0", "0.0", "2.0"]
