"""The time a kernel would take if one resource were its only bottleneck, from its counters and the hardware's rates.

    >>> bounds(data, row)          # cycles
    issue 198,000   fp32 120,000   DRAM 214,000 ...

Optimistic on purpose: each resource at its peak rate from the first cycle to the last. The largest is what must be
relieved first; the gap between it and the kernel's cycles is latency, imbalance, launch and drain.
"""

import pandas as pd

from analysis.data import READ, WRITE, Data
from ssmsim.counters import pipe_instructions

LANES = 32


def bounds(data: Data, row: pd.Series, config: str | None = None) -> pd.Series:
    """Cycles by resource for one row of counters; NaN where a counter is not had."""

    def hardware(field: str, default: float = 1.0) -> float:
        return data.value(field, config) if field in data.hardware.columns else default

    sms = hardware("gpu.sms")
    subcores = sms * hardware("sm.subcores")
    dram_bytes_per_cycle = hardware("dram.peak_gb_per_s") * 1e3 / hardware("gpu.sm_clock_mhz")

    def pipe(name: str, lanes: str) -> float:
        return float(row[pipe_instructions(name)]) * LANES / (hardware(lanes) * subcores)

    return pd.Series(
        {
            "issue": row["smsp__inst_executed.sum"] / subcores / hardware("sm.issue_per_subcore_per_cycle"),
            "fp32": pipe("fma", "sm.fp32_lanes_per_subcore"),
            "integer": pipe("alu", "sm.alu_lanes_per_subcore"),
            "transcendental": pipe("xu", "sm.xu_lanes_per_subcore"),
            "tensor": row.tensor_flop / (subcores * hardware("tensor.flops_per_cycle_per_subcore")),
            "shared memory": row["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"]
            / sms
            / hardware("shared.wavefronts_per_cycle"),
            "L1": 32 * row["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] / sms / hardware("l1.bytes_per_cycle"),
            "L2": 32 * row["lts__t_sectors.sum"] / (hardware("l2.slices") * hardware("l2.slice_bytes_per_cycle")),
            "DRAM": (row[READ] + row[WRITE]) / dram_bytes_per_cycle,
        },
        dtype=float,
    )
