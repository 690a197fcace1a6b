"""The first pass over code, as Nsight Compute saw it on the GPU: one SM alone, and all of them at once.

Microbenchmark sm/instruction_cache_cold_misses.
"""

import json
from pathlib import Path

import pytest

from ssmsim.config.load import load
from ssmsim.engines import open_engine
from ssmsim.engines.request import Request
from ssmsim.launch import read_launch
from ssmsim.microbenchmarks.simulate import with_rounds
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "traces/h200/microbenchmarks"


@pytest.fixture(scope="module")
def measured() -> dict[str, dict[str, float]]:
    rows = json.loads((RESULTS / "sm/instruction_cache_cold_misses.json").read_text())["counted"]
    return {row["label"]: row for row in rows if row["cache_control"] == "all"}


@pytest.mark.parametrize("label", ["1024.1.132", "1024.4.132", "2048.1.132", "2048.4.132", "2048.4.264", "4096.1.132"])
def test_all_sms(label, measured):
    """SMs differ more on the GPU: the mean one comes later here, the last one, for which the kernel waits, sooner."""
    got = active(label)
    assert got["gpc__cycles_elapsed.max"] == pytest.approx(measured[label]["gpc__cycles_elapsed.max"], rel=0.06)
    assert got["sm__cycles_active.avg"] == pytest.approx(measured[label]["sm__cycles_active.avg"], rel=0.08)


@pytest.mark.parametrize("label", ["1024.1.1", "2048.1.1", "4096.1.1"])
def test_one_sm(label, measured):
    """The SM that has the block: active for the launch's cycles there. Its first line comes as late here as when all ask."""
    assert active(label)["sm__cycles_active.max"] == pytest.approx(measured[label]["sm__cycles_active.max"], rel=0.06)


def active(label: str) -> dict[str, float]:
    """Counters of the line of sm/instruction_fetch_throughput with so many instructions: N.WARPS.BLOCKS."""
    length, warps, blocks = map(int, label.split("."))
    saved = with_rounds(read_launch(RESULTS / f"launches/sm/instruction_fetch_throughput.code{length}.1.1"), 1)
    room = saved.buffers[0].model_copy(update={"bytes": 1 << 20})
    launch = saved.model_copy(update={"grid": (blocks, 1, 1), "block": (32 * warps, 1, 1), "buffers": [room]})
    launch._folder = saved.folder
    program = decode_launch(launch).program
    source = open_tracer("emulated").blocks(launch, program)
    result = open_engine("embedded").simulate(Request(program, source, launch, load(ROOT / "simconfigs/h200.yaml")))
    return result.counters
