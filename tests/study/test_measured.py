"""Measured tables: what is no table, twice there, no number or in another unit is said with its file and line."""

from pathlib import Path

import pandas as pd
import pytest
from small_study import ROOT, TINY, Folder

from ssmsim.errors import SsmsimError
from ssmsim.measured import read_measured
from ssmsim.study.plan import make_plan

HEAD = "launch,kernel,cache,gpc__cycles_elapsed.max,gpu__time_duration.sum\n"


def written(folder: Path, text: str | bytes) -> Path:
    file = folder / "measured.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


@pytest.mark.parametrize(
    "file", sorted((ROOT / "traces").glob("*/*/measured.csv")), ids=lambda file: "-".join(file.parts[-3:-1])
)
def test_the_tables_of_the_project(file: Path) -> None:
    measured = read_measured(file)
    plain = pd.read_csv(file)
    assert len(measured.table) == len(plain) and list(measured.table.columns) == list(plain.columns)
    number = plain.select_dtypes("number").columns
    pd.testing.assert_frame_equal(measured.table[number].astype(float), plain[number].astype(float))
    assert all(1600 < mhz < 2000 for mhz in measured.clocks.values())


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("a,k,cold,3400,2\n", ["measured.csv:2", "1,700,000 MHz", "100 to 4000"]),  # microseconds
        ("a,k,cold,3400,2000000\n", ["2 MHz"]),
        ("a,k,cold,3400,0\n", ["measured.csv:2", "inf MHz"]),
        ("a,k,cold,1,1\na,k,warm,3400,2000\na,k,cold,3400,2000\n", ["measured.csv:4", "a, cold", "a second time"]),
        ("a,k,cold,3400,0x10\n", ["measured.csv:2", "gpu__time_duration.sum", "'0x10'"]),
        ("a,k,cold,inf,2000\n", ["gpc__cycles_elapsed.max", "'inf'"]),
        ("b,k,cold,3400,2000\na,k,cold,nan,2000\n", ["measured.csv:3", "'nan'"]),
        ("a,k,cold,-3400,2000\n", ["'-3400'"]),
        ("a,k,cold,1e999,2000\n", ["'1e999'"]),
        ("a,k,tepid,3400,2000\n", ["column cache", "'tepid'"]),
        ("a,k,cold,3400,2000,7,8,9\n", ["measured.csv"]),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, lines: str, words: list[str]) -> None:
    file = written(tmp_path, HEAD + lines)
    with pytest.raises(SsmsimError) as error:
        _ = read_measured(file).clocks
    assert "\n" not in str(error.value)
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize("text", ["", "\n", "a,b\n1,2\n", b"\xff\xfe\x00", bytes(range(256)) * 4])
def test_what_is_no_table(tmp_path: Path, text: str | bytes) -> None:
    with pytest.raises(SsmsimError, match=r"measured\.csv"):
        read_measured(written(tmp_path, text))
    with pytest.raises(SsmsimError, match="no such table"):
        read_measured(tmp_path / "absent.csv")


def test_empty_fields_are_gaps_and_columns_of_ones_own_are_text(tmp_path: Path) -> None:
    table = read_measured(written(tmp_path, HEAD.strip() + ",mine\na,k,cold,,2000,some text\n")).table
    assert pd.isna(table["gpc__cycles_elapsed.max"].iloc[0])
    assert table["mine"].iloc[0] == "some text"


def test_a_study_misses_it_before_anything_runs(folder: Folder) -> None:
    written(folder.path / "traces/h200/tiny", f"{HEAD}{TINY},k,cold,3400,2\n")
    folder.study(clock="measured")
    with pytest.raises(SsmsimError, match="1,700,000 MHz"):
        make_plan("analysis/study.yaml", folder.path)
