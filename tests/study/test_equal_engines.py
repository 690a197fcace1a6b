"""Tables of evidence that an engine has made whose counters are today's count as today's, and say so."""

from pathlib import Path

import pytest

from ssmsim.engines import equality
from ssmsim.engines.embedded import sources
from ssmsim.study import evidence


def table(folder: Path, digest: str) -> Path:
    file = folder / "waits.csv"
    file.write_text(f"kernel,digest\na,{digest}\nb,{sources.digest()}\n")
    return file


def test_engines_that_are_equal_are_found_through_others(tmp_path: Path) -> None:
    file = tmp_path / "equal.csv"
    file.write_text(f"digest,same_as,runs\nx,y,90\nold,older,130\ny,{sources.digest()},130\n")
    assert equality.equal_digests(file) == {sources.digest(): 0, "y": 130, "x": 90}


def test_what_an_equal_engine_made_is_not_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equality, "EQUAL", tmp_path / "equal.csv")
    assert "Stale: 1 of 2 lines" in evidence.note(table(tmp_path, "before"))
    equality.record("before", 130)
    assert evidence.state(table(tmp_path, "before")) == (2, 2, "")
    assert evidence.note(table(tmp_path, "before")) == ""
    assert "to the bit in 130 runs" in evidence.like_today(table(tmp_path, "before"))
    assert evidence.like_today(table(tmp_path, sources.digest())) == ""
