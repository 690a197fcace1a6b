"""Counters of a launch that are counts of its SASS, from emulating it whole: what the energy model needs beside a result."""

import re

import numpy as np

from ssmsim.launch import Launch
from ssmsim.trace.types import Program
from ssmsim.tracers.emulated.totals import Totals, emulate_totals

SHAPES = {"16816": (16, 8, 16), "1688": (16, 8, 8), "1684": (16, 8, 4)}  # HMMA: m, n, k of a warp
WARPGROUP = 4  # warps that execute one HGMMA together
SECTORS = 4  # of 32 bytes that 32 lanes of 4 bytes fill: local memory lies interleaved
TYPES = {"BF16": "sm__ops_path_tensor_src_bf16_dst_fp32.sum", "TF32": "sm__ops_path_tensor_src_tf32_dst_fp32.sum",
         "": "sm__ops_path_tensor_src_fp16.sum"}  # fmt: skip


def tensor_operations(opcode: str) -> tuple[str, float] | None:
    """(counter, multiplications and additions of one warp instruction) of a full opcode; None for one of another kind.

    Raises ValueError for a matrix instruction that these counters do not count.
    """
    base, *mods = opcode.split(".")
    if base in ("IMMA", "BMMA", "DMMA", "QGMMA", "IGMMA", "BGMMA") or (base in ("HMMA", "HGMMA") and "SP" in mods):
        raise ValueError(f"{opcode}: no counter of its operations")
    counter = TYPES[next((mod for mod in mods if mod in TYPES), "")]
    if base == "HGMMA":
        shape = next((found for mod in mods if (found := re.fullmatch(r"(\d+)x(\d+)x(\d+)", mod))), None)
        if shape is None:
            raise ValueError(f"{opcode}: no shape")
        m, n, k = map(int, shape.groups())
        return counter, 2 * m * n * k / WARPGROUP
    if base == "HMMA":
        shape_of = next((SHAPES[mod] for mod in mods if mod in SHAPES), None)
        if shape_of is None:
            raise ValueError(f"{opcode}: no shape")
        m, n, k = shape_of
        return counter, 2 * m * n * k
    return None


def _tensor(program: Program, executed: np.ndarray) -> dict[str, float]:
    """TENSOR_FLOP counters; none when an instruction is of a kind that they do not count."""
    found = dict.fromkeys(TYPES.values(), 0.0)
    for i, opcode in enumerate(program.opcodes):
        try:
            operations = tensor_operations(opcode)
        except ValueError:
            return {}
        if operations is not None:
            counter, each = operations
            found[counter] += each * int(executed[program.instructions["opcode"] == i].sum())
    return found


def _local(totals: Totals) -> dict[str, float]:
    """Sectors of local memory, as full warps touch them."""
    records = totals.program.instructions
    base = np.array([name.split(".")[0] for name in totals.program.opcodes])[records["opcode"]]
    words = np.maximum(records["width"] // 4, 1)
    return {
        f"l1tex__t_sectors_pipe_lsu_mem_local_op_{name}.sum": float(
            (totals.executed * words)[base == opcode].sum() * SECTORS
        )
        for name, opcode in (("ld", "LDL"), ("st", "STL"))
    }


def exact_counters(launch: Launch) -> dict[str, float]:
    """Counters by ncu's names, of every thread block of a launch; such as depend on data that nobody recorded are left out."""
    totals = emulate_totals(launch)
    return {**totals.counters(), **_tensor(totals.program, totals.executed), **_local(totals)}
