"""Streams that a study keeps: what a sampled run of them gives is what the command gives, whatever is kept."""

from pathlib import Path

import pytest
from small_gpu import CAPTURES, simulate, small_gpu

from ssmsim.engines import open_engine
from ssmsim.engines.request import Request
from ssmsim.launch import read_launch
from ssmsim.results import Result
from ssmsim.sass.decode import decode_launch
from ssmsim.study.recorded import LIMIT_BYTES, Recording
from ssmsim.tracers import open_tracer

MANY_WAVES = CAPTURES / "ssd-ragged/25-chunk_scan_bwd_dcb_kernel"
GPU = small_gpu(gpu__sms_per_gpc=(1, 1), sm__blocks=4)


def replayed(recording: Recording) -> Result:
    tracer = open_tracer("emulated")
    request = Request(recording.program, recording.source(), recording.launch, GPU, tracer, sample=1000)
    return open_engine("embedded").simulate(request)


def recorded(folder: Path, limit: int) -> Recording:
    launch = read_launch(folder)
    return Recording(launch, decode_launch(launch), limit)


@pytest.fixture(scope="module")
def direct() -> Result:
    return simulate(MANY_WAVES, GPU, sample=1000)


@pytest.mark.parametrize("limit", [LIMIT_BYTES, 1 << 20, 0])
def test_a_study_samples_what_the_command_samples(direct: Result, limit: int) -> None:
    recording = recorded(MANY_WAVES, limit)
    for _ in range(2):
        assert replayed(recording).counters == direct.counters
    assert recording.bytes <= limit


def test_blocks_that_are_passed_over_are_not_traced() -> None:
    recording = recorded(MANY_WAVES, LIMIT_BYTES)
    source = recording.source()
    first = source.next_blocks(1)
    source.skip(recording.launch.blocks - 2)
    last = source.next_blocks(8)
    assert first is not None and last is not None
    assert [*first.blocks, *last.blocks] == [0, recording.launch.blocks - 1]
    assert sum(len(trace.blocks) for trace in recording.kept.values()) == 2
