"""Every counter of a result row: Nsight Compute's name, unit, and whether it can be exact. The one list of them."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Counter:
    """name: the ncu metric it stands for. unit: its unit there. exact: deterministic, so compared to the bit."""

    name: str
    unit: Literal["cycle", "inst", "sector", "byte", "%", "warp", "wavefront", "request", "ns"]
    exact: bool = False


STALL_REASONS = (
    "barrier", "branch_resolving", "dispatch_stall", "drain", "gmma", "imc_miss", "lg_throttle", "long_scoreboard",
    "math_pipe_throttle", "membar", "mio_throttle", "misc", "no_instruction", "not_selected", "selected",
    "short_scoreboard", "sleeping", "tex_throttle", "wait",
)  # fmt: skip
"""Warp states as Nsight Compute names them."""

PIPES = ("fma", "alu", "xu", "lsu", "tensor", "uniform", "fp16", "fp64", "cbu", "adu")


def stall(reason: str) -> str:
    """Average number of warps in this state per issue-active cycle, as ncu's warp state statistics give it."""
    return f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"


def pipe_instructions(pipe: str) -> str:
    return f"sm__inst_executed_pipe_{pipe}.sum"


_LIST = [
    Counter("gpc__cycles_elapsed.max", "cycle"),
    Counter("sm__cycles_active.avg", "cycle"),
    Counter("sm__cycles_active.max", "cycle"),
    Counter("gpu__time_duration.sum", "ns"),
    Counter("smsp__inst_executed.sum", "inst", exact=True),
    Counter("smsp__thread_inst_executed.sum", "inst", exact=True),
    Counter("smsp__thread_inst_executed_pred_on.sum", "inst", exact=True),
    Counter("smsp__issue_active.avg.pct_of_peak_sustained_active", "%"),
    Counter("sm__warps_active.avg.pct_of_peak_sustained_active", "%"),
    Counter("l1tex__t_sector_hit_rate.pct", "%"),
    Counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector", exact=True),
    Counter("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sector", exact=True),
    Counter("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request", exact=True),
    Counter("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "request", exact=True),
    Counter("lts__t_sector_hit_rate.pct", "%"),
    Counter("lts__t_sectors.sum", "sector"),
    Counter("lts__t_sectors_op_read.sum", "sector"),
    Counter("lts__t_sectors_op_write.sum", "sector"),
    Counter("dram__bytes_read.sum", "byte"),
    Counter("dram__bytes_write.sum", "byte"),
    Counter("dram__throughput.avg.pct_of_peak_sustained_elapsed", "%"),
    Counter("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "wavefront"),
    Counter("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "wavefront"),
    *(Counter(pipe_instructions(pipe), "inst", exact=True) for pipe in PIPES),
    *(Counter(stall(reason), "warp") for reason in STALL_REASONS),
]

COUNTERS: dict[str, Counter] = {counter.name: counter for counter in _LIST}
