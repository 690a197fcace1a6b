"""Open kernels with tensor maps, as an H200 ran them: Triton's, CUTLASS's DSL, TileLang's, FlashAttention's. Instructions, and cycles
within what they were at the first replay.
"""

import csv
from pathlib import Path

import pytest

from ssmsim.config.load import load
from ssmsim.engines import open_engine
from ssmsim.engines.request import Request
from ssmsim.launch import read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer

ROOT = Path(__file__).parents[2]
CAPTURES = ROOT / "tests/data/captures"
CYCLES, INSTRUCTIONS, TIME = "gpc__cycles_elapsed.max", "smsp__inst_executed.sum", "gpu__time_duration.sum"


def rows() -> list[tuple[str, dict[str, str]]]:
    """(capture, its row) of each launch that was measured."""
    found = []
    for name in ("triton-tma", "flash_attention", "cutlass_dsl", "tilelang"):
        with (CAPTURES / name / "measured_once.csv").open(newline="") as file:
            found += [(name, row) for row in csv.DictReader(file) if row["cache"] == "cold"]
    return found


ROWS = rows()
BOUND = {
    "04-tma_copy_add": 0.07,
    "02-kernel_cutlass_kernel_flash_attncuteflash_bwd_sm90FlashAtten": 0.075,
}  # else 0.055
# Instructions a block that the GPU has more: as many as a second try at an mbarrier. That it is one is assumed.
TRIED_AGAIN = {"02-tma_device_matmul": 2}
pytestmark = pytest.mark.silicon


@pytest.mark.parametrize(("capture", "row"), ROWS, ids=[f"{name}-{row['launch'][:40]}" for name, row in ROWS])
def test_a_kernel_is_met(capture: str, row: dict[str, str]) -> None:
    launch = read_launch(CAPTURES / capture / row["launch"])
    program, tracer, config = (
        decode_launch(launch).program,
        open_tracer("emulated"),
        load(ROOT / "simconfigs/h200.yaml"),
    )
    clock = 1000 * float(row[CYCLES]) / float(row[TIME])  # the GPU lowers it in products of matrices
    request = Request(program, tracer.blocks(launch, program), launch, config, tracer, sm_clock_mhz=clock)
    found = open_engine("embedded").simulate(request).counters
    if capture in ("flash_attention", "tilelang"):  # tries at mbarriers that fail on the GPU hang on the time
        assert found[INSTRUCTIONS] == pytest.approx(float(row[INSTRUCTIONS]), rel=3e-3)
    else:
        again = TRIED_AGAIN.get(row["launch"], 0) * launch.blocks
        assert found[INSTRUCTIONS] == float(row[INSTRUCTIONS]) - again
    assert found[CYCLES] == pytest.approx(float(row[CYCLES]), rel=BOUND.get(row["launch"], 0.055))
