"""Engine state to the counters of a result row, by ncu's names and units."""

from typing import Any

import numpy as np

from ssmsim.architecture import LINE_BYTES, SECTOR_BYTES, SUBCORES, WARPGROUP_WARPS
from ssmsim.config.schema import SimConfig
from ssmsim.counters import PIPES, STALL_REASONS, pipe_instructions, stall
from ssmsim.engines.embedded.feed import coalesce
from ssmsim.engines.embedded.feed.block_pool import Pool
from ssmsim.engines.embedded.instructions import gmma_operand_bytes
from ssmsim.engines.embedded.state.machine import State
from ssmsim.launch import Launch
from ssmsim.sass.opcodes import WARPGROUP_PRODUCTS, Unit
from ssmsim.trace.types import Program


def counters(state: State, pool: Pool, program: Program, config: SimConfig, launch: Launch) -> dict[str, float | None]:
    """Every counter this engine has."""
    m, gpu, counts = state.machine[0], state.gpu[0], state.counts[0]
    sums = dict(zip(coalesce.SUMS, (int(v) for v in pool.sums), strict=True))
    elapsed = int(gpu.finish + m.launch.end_cycles)
    active, subcores = state.sms.active.astype(np.float64), state.subs.active.astype(np.float64)
    issued = int(counts.issued)
    nanoseconds = elapsed * 1000 / config.gpu.sm_clock_mhz
    dram_bytes = SECTOR_BYTES * int(counts.dram_reads + counts.dram_writes)
    values: dict[str, Any] = {
        "gpc__cycles_elapsed.max": elapsed,
        "sm__cycles_active.avg": float(active.mean()),
        "sm__cycles_active.max": float(active.max()),
        "gpu__time_duration.sum": nanoseconds,
        "smsp__inst_executed.sum": issued,
        "smsp__thread_inst_executed.sum": sums["lanes_active"],
        "smsp__thread_inst_executed_pred_on.sum": None if pool.guesses else sums["lanes_on"],
        "smsp__issue_active.avg.pct_of_peak_sustained_active": _percent(issued, subcores.sum()),
        "sm__warps_active.avg.pct_of_peak_sustained_active": _percent(
            int(counts.warp_cycles), SUBCORES * int(m.sm.warp_slots_per_subcore) * active.sum()
        ),
        "l1tex__t_sector_hit_rate.pct": _percent(int(counts.l1_hits), int(counts.l1_sectors)),
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": sums["load_sectors"],
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": sums["store_sectors"],
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": sums["load_requests"],
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": sums["store_requests"],
        "lts__t_sector_hit_rate.pct": _percent(int(counts.l2_hits), int(counts.l2_sectors)),
        "lts__t_sectors.sum": int(counts.l2_sectors),
        "lts__t_sectors_op_read.sum": int(counts.l2_read_sectors),
        "lts__t_sectors_op_write.sum": int(counts.l2_write_sectors),
        "dram__bytes_read.sum": SECTOR_BYTES * int(counts.dram_reads),
        "dram__bytes_write.sum": SECTOR_BYTES * int(counts.dram_writes),
        "dram__throughput.avg.pct_of_peak_sustained_elapsed": _percent(
            dram_bytes, config.dram.peak_gb_per_s * nanoseconds
        ),
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": sums["wavefronts"] + other_wavefronts(program, pool.executed),
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": sums["conflicts"] + int(counts.copy_conflicts),
    }
    counted = program.instructions["pipe"]  # where the hardware counts an instruction, not where it executes
    for pipe in PIPES:
        values[pipe_instructions(pipe)] = int(pool.executed[counted == Unit[pipe.upper()]].sum())
    values[pipe_instructions("adu")] += passes_again(program, pool.executed, int(counts.idc_misses))
    for reason, total in zip(STALL_REASONS, state.stalls.sum(0), strict=True):
        values[stall(reason)] = int(total) / issued if issued else None
    return values


def notes(state: State) -> list[str]:
    """What units say that no GPU of today has, and so no counter of ncu counts."""
    counts = state.counts[0]
    if not state.machine[0].prefetch_places:
        return []
    return [f"prefetcher: {counts.prefetch_lines} lines asked for, {counts.prefetch_used} used ({counts.prefetch_late} of them "
            f"before they had come), {counts.prefetch_lost} lost unused"]  # fmt: skip


def passes_again(program: Program, executed: np.ndarray, idc_misses: int) -> int:
    """What the ADU counts beside its own instructions: each LDC that misses once more, and fences, which the LSU counts.

    Less the misses that ncu states (idc__request_hit_rate), counts per warp are whole numbers: 12 launches on an H200.
    """
    fences = [number for number, name in enumerate(program.opcodes) if name.split(".")[0] == "MEMBAR"]
    return idc_misses + int(executed[np.isin(program.instructions["opcode"], fences)].sum())


def other_wavefronts(program: Program, executed: np.ndarray) -> int:
    """Shared-memory wavefronts that are no loads or stores: exchanges between lanes, thread indices, HGMMA's operands.

    HGMMA: 128 bytes each of A (64 rows, unless in registers) and B, once per warpgroup of four warps.
    """
    total = 0
    for number, text, row, count in zip(
        program.instructions["opcode"], program.text, program.instructions, executed, strict=True
    ):
        base = program.opcodes[number].split(".")[0]
        if base == "SHFL" or (base == "S2R" and "SR_TID" in text):
            total += int(count)
        elif base in WARPGROUP_PRODUCTS:
            total += gmma_operand_bytes(row, text) // LINE_BYTES * int(count) // WARPGROUP_WARPS
    return total


def _percent(part: float, whole: float) -> float | None:
    return 100 * part / whole if whole else None
