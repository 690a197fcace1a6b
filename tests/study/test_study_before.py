"""What ran before a launch: the order of the capture, and how far back it goes."""

import json
import shutil

import pytest
from small_study import ROOT

from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch
from ssmsim.study import rows
from ssmsim.study.before import ran_before

CAPTURE = ROOT / "tests/data/captures/ssd-ragged"
NAMES = sorted(file.parent.name for file in CAPTURE.glob("*/launch.json"))


def names(launch, l2_bytes):
    return [before.folder.name for before in ran_before(read_launch(launch), l2_bytes)]


def copied(path, *order):
    """Three launches of the capture in `path`, and a sequence.json that has them in `order`."""
    for name in NAMES[35:38]:
        shutil.copytree(CAPTURE / name, path / name)
    shutil.copytree(CAPTURE / "cubins", path / "cubins")
    copy = {"copy": {"to": 512, "from": 0, "bytes": 512}}
    operations = [copy, *({"launch": name} for name in order), copy]
    if order:
        (path / "sequence.json").write_text(json.dumps({"format": "sequence/1", "operations": operations}))
    return path


def test_it_goes_back_until_the_l2_is_filled_twice():
    """28 names 2,015,232 bytes in four allocations; 27 as many, one of them the same; 26 has one that neither names."""
    two = 2_015_232 + 1_228_800
    assert names(CAPTURE / NAMES[29], 2_015_232 // 2) == NAMES[28:29]
    assert names(CAPTURE / NAMES[29], 2_015_232 // 2 + 1) == NAMES[27:29]
    assert names(CAPTURE / NAMES[29], two // 2) == NAMES[27:29]
    assert names(CAPTURE / NAMES[29], two // 2 + 1) == NAMES[26:29]


def test_numbers_that_look_like_pointers_are_not_counted():
    """27-bmm_chunk_bwd of mamba2-2.7b: PyTorch's reduction before it seems to name 160 MB of which it reads nothing."""
    captured = ROOT / "traces/h200/mamba2-2.7b"
    assert names(captured / "27-bmm_chunk_bwd_kernel", 60 << 20) == [
        "25-chunk_scan_bwd_dcb_kernel",
        "26-reduce_kernel",
    ]


def test_before_the_first_comes_the_last_and_at_most_a_step_is_taken():
    assert names(CAPTURE / NAMES[0], 1) == NAMES[-1:]
    assert names(CAPTURE / NAMES[3], 1 << 40) == NAMES[3:] + NAMES[:3]


def test_the_order_is_that_of_the_sequence(tmp_path):
    a, b, c = NAMES[35:38]
    assert names(copied(tmp_path / "numbered") / c, 1 << 40) == [c, a, b]
    assert names(copied(tmp_path / "told", b, c, a) / c, 1 << 40) == [c, a, b]
    assert names(copied(tmp_path / "back", c, b, a) / c, 1 << 40) == [c, b, a]


def test_of_equal_launches_it_is_the_first(tmp_path):
    a, b, c = NAMES[35:38]
    folder = copied(tmp_path / "told", a, b, c, b, c)
    assert names(folder / c, 1) == [b]
    assert names(folder / b, 1 << 40) == [b, c, b, c, a]
    assert {name: about["occurrences"] for name, about in rows.sequence(folder).items()} == {a: 1, b: 2, c: 2}


def test_a_launch_that_the_sequence_lacks_is_named(tmp_path):
    a, b, c = NAMES[35:38]
    with pytest.raises(SsmsimError, match=rf"sequence\.json: no launch {c}"):
        names(copied(tmp_path, a, b) / c, 1)
