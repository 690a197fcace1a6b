"""Results as they are kept: the same numbers in fewer characters, addresses where a replay needs them."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssmsim.errors import SsmsimError
from ssmsim.microbenchmarks.keep import compact, keep, short


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_seven_digits_of_every_number(value: float):
    assert short(value) == pytest.approx(value, rel=5e-7, abs=0)


def test_whole_numbers_and_other_things_stay():
    assert (
        json.dumps(short({"a": [9948.0, 1.23456789, True, None, "x", 7]}))
        == '{"a": [9948, 1.234568, true, null, "x", 7]}'
    )


def test_addresses_stay_where_a_launch_is_written_from_them():
    row = {"out": 1, "buffers": [], "parameters": "00", "registers": 8, "cycles_few": [1.0]}
    kept = compact({"loops": {"yes": dict(row), "no": dict(row)}}, {"yes"})
    assert set(kept["loops"]["yes"]) == set(row) and set(kept["loops"]["no"]) == {"cycles_few"}


def test_what_is_usual_is_left_out_and_what_is_not_stays():
    usual = {"cycles_few": [1.0], "blocks": 1, "shared": 0, "cold": False, "carveout": -1, "cycles_mean_sm": [1.0]}
    other = {"cycles_few": [1.0], "blocks": 132, "shared": 1024, "cold": True, "carveout": 50, "cycles_mean_sm": [1.0]}
    kept = compact({"loops": {"usual": dict(usual), "other": dict(other)}}, set())["loops"]
    assert kept == {"usual": {"cycles_few": [1]}, "other": other}


def test_a_result_that_is_not_there(tmp_path: Path):
    with pytest.raises(SsmsimError, match="no such result"):
        keep(tmp_path, tmp_path / "kept", ["l2"])
