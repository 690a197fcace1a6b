"""Result files: one JSON object with a checksum; what is edited, damaged or of another format names its file."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssmsim.counters import COUNTERS
from ssmsim.errors import SsmsimError
from ssmsim.results import Result, Sampled, checksum, read_result

CYCLES = "gpc__cycles_elapsed.max"
RESULT = Result(launch="[red]ä", config="h200", engine="embedded", counters={CYCLES: 11621.0, "dram__bytes_read.sum": None},
                wall_seconds=0.1, sampled=Sampled(fraction=0.5, ci95=(1.0, 2.5)), notes=["a note"])  # fmt: skip


@pytest.fixture
def file(tmp_path):
    RESULT.write(tmp_path / "r.json")
    return tmp_path / "r.json"


def test_what_is_written_is_read(file):
    assert read_result(file) == RESULT


@given(value=st.floats(allow_nan=False, allow_infinity=False), name=st.text(), seconds=st.floats(0, 1e9))
def test_any_value_is_read_as_it_was_written(tmp_path_factory, value, name, seconds):
    result = RESULT.model_copy(update={"counters": {CYCLES: value}, "workload": name.encode(errors="replace").decode(),
                                       "wall_seconds": seconds})  # fmt: skip
    path = tmp_path_factory.mktemp("r") / "r.json"
    result.write(path)
    assert read_result(path) == result


def test_white_space_does_not_count(file):
    file.write_text(json.dumps(json.loads(file.read_text())))
    assert read_result(file) == RESULT


@pytest.mark.parametrize(("old", "new"), [
    ("11621", "91621"), ('"h200"', '"h100"'), ("0.5", "0.6"), ('"a note"', ""), ('"notes"', '"kernel": "k", "notes"'),
    (f'"{CYCLES}": 11621.0', f'"{CYCLES}": 1.0, "{CYCLES}": 11621.0'), ('"dram__bytes_read.sum": null', '"dram__bytes_read.sum": 0'),
])  # fmt: skip
def test_an_edit_is_an_error(old, new, file):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(SsmsimError, match=r"r\.json.*(checksum|given twice|not JSON)"):
        read_result(file)


@given(place=st.integers(0), bit=st.integers(0, 7))
def test_a_flipped_bit_is_an_error(tmp_path_factory, place, bit):
    path = tmp_path_factory.mktemp("r") / "r.json"
    data = bytearray(RESULT.text().encode())
    data[place % len(data)] ^= 1 << bit
    path.write_bytes(data)
    try:
        assert read_result(path) == RESULT  # white space that became other white space
    except SsmsimError as error:
        assert ("r.json" in str(error) and "delete it" in str(error)) or "not a result" in str(error)


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"[]", b"null", b"[" * 100000, b'{"launch": ' + b"9" * 5000 + b"}",
                                  b"\x7fELF" + bytes(100), b'{"launch": NaN}'])  # fmt: skip
def test_garbage_names_its_file(data, tmp_path):
    path = tmp_path / "r.json"
    path.write_bytes(data)
    with pytest.raises(SsmsimError, match=r"r\.json"):
        read_result(path)


def test_without_a_checksum_or_with_a_wrong_type(file):
    data = json.loads(file.read_text())
    del data["checksum"]
    file.write_text(json.dumps(data))
    with pytest.raises(SsmsimError, match="field checksum: missing"):
        read_result(file)
    for wrong in ({"wall_seconds": "1"}, {"warp_instructions": 1.5}, {"wall_seconds": -1.0}, {"counters": {"what": 1.0}},
                  {"sampled": {"fraction": 2.0}}, {"counters": {CYCLES: "1"}}, {"extra": 1}):  # fmt: skip
        changed = data | wrong
        file.write_text(json.dumps(changed | {"checksum": checksum(changed)}))
        with pytest.raises(SsmsimError, match=rf"field {next(iter(wrong))}"):
            read_result(file)


def test_a_folder_or_nothing(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere.json"):
        with pytest.raises(SsmsimError, match=path.name):
            read_result(path)


def test_infinite_counters_are_refused_and_nan_is_none():
    assert Result(launch="l", config="c", engine="e", counters={CYCLES: math.nan}).counters == {CYCLES: None}
    with pytest.raises(ValueError, match="infinite"):
        Result(launch="l", config="c", engine="e", counters=dict.fromkeys(COUNTERS, math.inf))
