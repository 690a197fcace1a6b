"""The engine's exact counters against Nsight Compute's on an H200, to the last instruction, thread and sector.

The emulator's own totals have their test (test_measured_totals.py); here the way through the engine's pool and report.
"""

from pathlib import Path

import pytest

from ssmsim.config.load import load
from ssmsim.counters import COUNTERS, pipe_instructions
from ssmsim.engines import open_engine
from ssmsim.engines.request import Request
from ssmsim.launch import read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer
from ssmsim.tracers.emulated.measured import measured_row

ROOT = Path(__file__).parents[2]
CAPTURES = ROOT / "traces/h200"
PREDICATED_ON = "smsp__thread_inst_executed_pred_on.sum"
# Triton and PyTorch kernels, with barriers, fences, shuffles, conversions, predicated and partial accesses.
LAUNCHES = ("mamba2-780m-holdout/00-chunk_cumsum_fwd_kernel", "mamba2-780m-holdout/11-reduce_kernel",
            "mamba2-2.7b/16-reduce_kernel", "mamba2-2.7b/29-elementwise_kernel",
            "mamba1-2.8b/01-vectorized_elementwise_kernel")  # fmt: skip


@pytest.mark.parametrize("name", LAUNCHES)
def test_exact_counters_equal_the_measured_ones(name: str) -> None:
    launch = read_launch(CAPTURES / name)
    program, config = decode_launch(launch).program, load(ROOT / "simconfigs/h200.yaml")
    source = open_tracer("emulated").blocks(launch, program)
    counters = open_engine("embedded").simulate(Request(program, source, launch, config)).counters
    assert (counters[PREDICATED_ON] is None) == source.guesses  # guards on data that nobody recorded: no number
    exact = {key for key, value in counters.items() if COUNTERS[key].exact and value is not None}
    assert exact >= {"smsp__inst_executed.sum", *map(pipe_instructions, ("fma", "alu", "xu", "lsu", "uniform", "cbu"))}
    row = measured_row(CAPTURES / name)
    assert {key: counters[key] for key in exact} == {key: row[key] for key in exact}
