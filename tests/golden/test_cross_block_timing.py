"""The engine on kernels whose blocks wait for each other (tests/data/kernels/cross_block.cu)."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from emulator import CUBIN, make_launch

from ssmsim.config.load import load
from ssmsim.config.schema import SimConfig
from ssmsim.engines import open_engine
from ssmsim.engines.embedded import simulate as driver
from ssmsim.engines.request import Request
from ssmsim.launch import Launch
from ssmsim.results import Result
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer

KERNELS = CUBIN.parent / "cross_block.cubin"
H200 = load(Path(__file__).parents[2] / "simconfigs/h200.yaml")


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.uint32)


def launch_of(folder: Path, kernel: str, arguments: list[object], blocks: int, threads: int = 64) -> Launch:
    return make_launch(folder, kernel, arguments, (blocks, 1, 1), (threads, 1, 1), cubin=KERNELS)[0]


def simulate(launch: Launch, sample: bool = False, config: SimConfig = H200) -> Result:
    program, tracer = decode_launch(launch).program, open_tracer("emulated")
    blocks = tracer.blocks(launch, program)
    return open_engine("embedded").simulate(Request(program, blocks, launch, config, tracer, sample=sample))


def test_a_block_that_waits_for_a_flag_goes_on_when_it_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch, held = launch_of(tmp_path, "handover", [zeros(1), zeros(1), zeros(64)], 5), []
    check = driver.conservation.conserve
    monkeypatch.setattr(driver.conservation, "conserve", lambda state, n: (held.append(state), check(state, n)))
    result = simulate(launch)
    state: Any = held[0]
    ends = dict(zip(state.loaded.id[:5].tolist(), state.loaded.finished[:5].tolist(), strict=True))
    assert ends[0] > max(ends[k] for k in (1, 2, 3))  # block 0 waits for block 4
    again = simulate(launch)
    assert result.counters == again.counters
    assert any("run's own time" in note for note in result.notes)


def test_a_block_does_not_wait_for_one_that_is_left_out(tmp_path: Path) -> None:
    """Block 0 waits for block 4."""
    launch, tracer = launch_of(tmp_path, "handover", [zeros(1), zeros(1), zeros(64)], 5), open_tracer("emulated")
    program = decode_launch(launch).program
    for order, waits in (([0, 1], 0), ([0, 4], 1)):
        blocks = tracer.blocks(launch, program, order)
        result = open_engine("embedded").simulate(Request(program, blocks, launch, H200, tracer))
        assert result.counters["smsp__inst_executed.sum"]
        trace = tracer.blocks(launch, program, order).next_blocks(2)
        assert trace is not None and (len(trace.awaited) > 0) == bool(waits)


def test_a_policy_that_looks_ahead_in_the_streams_gets_one_order(tmp_path: Path) -> None:
    launch = launch_of(tmp_path, "tickets", [zeros(1), zeros(10 * 64), 10], 4)
    skips = H200.model_copy(update={"launch": H200.launch.model_copy(update={"skip_prologue": True})})
    notes = simulate(launch, config=skips).notes
    assert any("ATOMG.E.ADD" in note and "one order was replayed" in note for note in notes)


@pytest.mark.parametrize("blocks", [3, 132])
def test_a_barrier_of_the_grid_ends(tmp_path: Path, blocks: int) -> None:
    launch = launch_of(tmp_path, "grid_barrier", [zeros(1), zeros(3 * blocks), zeros(blocks * 64), 3], blocks)
    assert simulate(launch).counters["smsp__inst_executed.sum"]
