"""The time line: whole, in order, and without effect on the run."""

import json

import pytest
from small_gpu import CAPTURES, CYCLES, simulate, small_gpu

from ssmsim.engines.request import Views
from ssmsim.errors import SsmsimError

LAUNCH = CAPTURES / "ssd-ragged/04-chunk_scan_fwd_kernel"


@pytest.fixture(scope="module")
def plain():
    return simulate(LAUNCH, small_gpu())


def slices(file):
    return [event for event in json.loads(file.read_text())["traceEvents"] if event["ph"] == "X"]


def test_every_block_is_there_once(plain, tmp_path):
    result = simulate(LAUNCH, small_gpu(), views=Views(tmp_path / "t.json", None))
    blocks = slices(tmp_path / "t.json")
    assert sorted(int(event["name"].split()[1]) for event in blocks) == list(range(48))
    assert {event["pid"] for event in blocks} == {0, 1, 2, 3}
    assert result.counters == plain.counters
    by_slot = {}
    for event in sorted(blocks, key=lambda e: e["ts"]):
        assert event["ts"] >= by_slot.get((event["pid"], event["tid"]), 0)
        by_slot[event["pid"], event["tid"]] = event["ts"] + event["dur"]


@pytest.mark.long
def test_every_instruction_of_the_sm_is_there(plain, tmp_path):
    result = simulate(LAUNCH, small_gpu(gpu__sms_per_gpc=(1, 1)), views=Views(tmp_path / "t.json", 1))
    other = simulate(LAUNCH, small_gpu(gpu__sms_per_gpc=(1, 1)), views=Views(tmp_path / "u.json", 0))
    issued = [event for name in "tu" for event in slices(tmp_path / f"{name}.json") if "pc" in event["args"]]
    assert len(issued) == result.warp_instructions
    assert result.counters == other.counters
    assert all(event["dur"] >= 1 and event["ts"] + event["dur"] <= result.counters[CYCLES] for event in issued)


def test_no_such_sm(tmp_path):
    with pytest.raises(SsmsimError, match="SM 4"):
        simulate(LAUNCH, small_gpu(), views=Views(tmp_path / "t.json", 4))
    assert not (tmp_path / "t.json").exists()
