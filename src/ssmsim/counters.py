"""Every counter of a result row: Nsight Compute's name, unit, and whether it can be exact. The one list of them."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Counter:
    """name: the ncu metric it stands for. unit: its unit there. exact: deterministic, so compared to the bit."""

    name: str
    unit: Literal["cycle", "inst", "sector", "byte", "%", "warp", "wavefront", "request", "ns", "op", "Hz"]
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
    """Warp instructions executed by a pipe. GH100 runs half-precision arithmetic in its fma pipe and counts it so."""
    return f"sm__inst_executed_pipe_{'fma_type_fp16' if pipe == 'fp16' else pipe}.sum"


PIPE_PARTS = ("fmaheavy", "fmalite", "tensor_op_hmma", "tensor_op_gmma", "tensor_op_hmma_type_hfma2")
"""Parts of pipes. tensor_op_hmma counts HGMMA too; HFMA2.MMA, the assembler's way to load a constant, is tensor's."""

OPERATIONS = (
    "global_ld", "global_st", "global_red", "generic_atom", "ldgsts", "shared_ld", "shared_st", "ldsm", "shared_stsm",
    "shared_atom", "local_ld", "local_st", "ldc", "branch",
)  # fmt: skip
"""Instruction classes whose warp instructions the hardware counts."""

SASS_FLOP = {
    f"smsp__sass_thread_inst_executed_op_{letter}{kind}_pred_on.sum": (pipe, 2 if kind == "fma" else 1)
    for letter, pipe in (("f", "fp32"), ("h", "fp16"), ("d", "fp64"))
    for kind in ("add", "mul", "fma")
}
"""Thread instructions by kind: (pipe, floating-point operations each); a packed half instruction counts once."""

TENSOR_FLOP = tuple(f"sm__ops_path_tensor_src_{kind}.sum" for kind in ("bf16_dst_fp32", "fp16", "tf32_dst_fp32"))
"""Multiplications and additions of the tensor cores, by source type."""

SATURATION = ("tensor", "fma", "alu", "fp64")
"""Pipes whose active cycles the hardware counts."""


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
    *(Counter(pipe_instructions(pipe), "inst", exact=pipe != "adu") for pipe in PIPES),  # adu counts replays too
    *(Counter(stall(reason), "warp") for reason in STALL_REASONS),
    *(Counter(pipe_instructions(part), "inst") for part in PIPE_PARTS),
    *(Counter(f"smsp__inst_executed_op_{name}.sum", "inst", exact=True) for name in OPERATIONS),
    *(Counter(name, "inst", exact=True) for name in SASS_FLOP),
    *(Counter(name, "op", exact=True) for name in TENSOR_FLOP),
    *(Counter(f"sm__pipe_{pipe}_cycles_active.avg.pct_of_peak_sustained_active", "%") for pipe in SATURATION),
    *(
        Counter(f"sm__inst_executed_pipe_{pipe}.avg.pct_of_peak_sustained_active", "%")
        for pipe in ("lsu", "xu", "uniform")
    ),
    *(
        Counter(f"l1tex__t_sectors_pipe_lsu_mem_{name}.sum", "sector", exact=True)
        for name in ("local_op_ld", "local_op_st", "global_op_red", "global_op_atom")
    ),
    *(Counter(f"lts__t_sectors_op_{name}.sum", "sector") for name in ("atom", "red")),
    Counter("lts__t_sectors_srcunit_ltcfabric.sum", "sector"),
    *(Counter(f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum", "wavefront") for op in ("ld", "st", "gmma")),
    *(Counter(f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum", "wavefront") for op in ("ld", "st")),
    Counter("sm__icc_request_hit_rate.pct", "%"),
    Counter("idc__request_hit_rate.pct", "%"),
    Counter("sm__warps_launched.sum", "warp", exact=True),
    Counter("sm__cycles_elapsed.avg.per_second", "Hz"),
    Counter("dram__cycles_elapsed.avg.per_second", "Hz"),
]

COUNTERS: dict[str, Counter] = {counter.name: counter for counter in _LIST}
