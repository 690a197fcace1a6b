"""Emulated counts of whole launches against Nsight Compute's on an H200, to the last instruction and sector.

Here the launches of up to 150,000 warp instructions; `ssmsim count traces/h200/*/[0-9]*` does them all.
"""

from pathlib import Path

import pytest

from ssmsim.tracers.emulated.measured import compare_with_measured, measured_row

CAPTURES = Path(__file__).parents[2] / "traces" / "h200"
MOST = 150_000
SMALL = [
    f"{folder.parent.name}/{folder.name}"
    for folder in sorted(CAPTURES.glob("mamba*/[0-9]*"))
    if measured_row(folder)["smsp__inst_executed.sum"] <= MOST
]
ALWAYS = {
    "smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "sm__inst_executed_pipe_fma.sum",
    "sm__inst_executed_pipe_alu.sum", "sm__inst_executed_pipe_lsu.sum", "smsp__inst_executed_op_branch.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
}  # fmt: skip


def test_there_are_such_launches() -> None:
    assert len({name.split("/")[1][3:] for name in SMALL}) >= 3


@pytest.mark.parametrize("name", SMALL)
def test_counts_equal_the_measured_ones(name: str) -> None:
    equal, other = compare_with_measured(CAPTURES / name)
    assert not other
    assert equal.keys() >= ALWAYS
