"""Totals of what a launch executes, under the names of Nsight Compute's counters that they equal."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

from ssmsim.counters import pipe_instructions
from ssmsim.launch import Launch
from ssmsim.sass.opcodes import Space, Unit
from ssmsim.trace.types import LOCAL_WINDOW, SHARED_WINDOW, WINDOW_BYTES, BlockSource, BlockTrace, Program
from ssmsim.tracers.emulated.exits import conditional_exits
from ssmsim.tracers.emulated.hardware import local_window

# Instruction classes (smsp__inst_executed_op_NAME.sum) by base opcode.
CLASSES = {
    "global_ld": ("LDG",), "global_st": ("STG",), "ldgsts": ("LDGSTS",), "shared_ld": ("LDS",), "shared_st": ("STS",),
    "ldsm": ("LDSM",), "shared_stsm": ("STSM",), "local_ld": ("LDL",), "local_st": ("STL",), "ldc": ("LDC",),
    "branch": ("BRA", "BRX", "JMP", "CALL", "RET", "EXIT", "BSYNC", "BREAK", "WARPSYNC"),
}  # fmt: skip
# Thread instructions that pass their guard (smsp__sass_thread_inst_executed_op_NAME_pred_on.sum).
KINDS = {"fadd": "FADD", "fmul": "FMUL", "ffma": "FFMA", "hadd": "HADD2", "hmul": "HMUL2", "hfma": "HFMA2",
         "dadd": "DADD", "dmul": "DMUL", "dfma": "DFMA"}  # fmt: skip
WINDOWS, WINDOWS_END = SHARED_WINDOW, LOCAL_WINDOW + WINDOW_BYTES  # generic addresses of shared and local memory
PIPES = ("fma", "alu", "xu", "lsu", "tensor", "uniform", "fp64", "cbu")  # adu's count differs from run to run


@njit(cache=True)
def _sectors(index, mask, addresses, rows, wanted, windows_end, width, requests, sectors):
    """Accesses to global memory by static instruction i: requests[i] that any lane makes, sectors[i] of 32 bytes.

    windows_end[i]: where generic addresses of shared and local memory end, 0 for what is not generic. A sector counts
    once per access. Lanes of an LDGSTS that fill with zeros read nothing, and generic accesses count in the lanes that
    point to global memory.
    """
    seen = np.empty(128, np.int64)
    at = 0
    for k in range(index.size):
        i = index[k]
        if wanted[i] and mask[k]:
            n = 0
            for lane in range(32):
                if not mask[k] >> lane & 1:
                    continue
                first = addresses[at + rows[i] - 1, lane]
                if first < 0 or WINDOWS <= first < windows_end[i]:
                    continue
                for sector in range(first >> 5, (first + width[i] - 1 >> 5) + 1):
                    j = n - 1
                    while j >= 0 and seen[j] != sector:
                        j -= 1
                    if j < 0:
                        seen[n] = sector
                        n += 1
            requests[i] += n > 0
            sectors[i] += n
        at += rows[i]


@dataclass(frozen=True)
class Totals:
    """Sums over the blocks run, int64[static instructions] each.

    warps, blocks: run. executed: warp instructions. active, on: threads that arrived, and that pass their guard.
    requests, sectors: of accesses to global memory, as the L1 cache counts them.
    vague: bool, guards that may depend on data that nobody recorded; they count as true.
    """

    program: Program
    blocks: int
    warps: int
    executed: np.ndarray
    active: np.ndarray
    on: np.ndarray
    requests: np.ndarray
    sectors: np.ndarray
    vague: np.ndarray

    @property
    def warp_instructions(self) -> int:
        """smsp__inst_executed.sum"""
        return int(self.executed.sum())

    def per_unit(self) -> dict[str, int]:
        """Warp instructions per pipe, as the hardware counts them."""
        units = np.bincount(self.program.instructions["pipe"], self.executed, len(Unit))
        return {unit.name.lower(): int(units[unit]) for unit in Unit}

    def per_opcode(self) -> dict[str, int]:
        """Warp instructions per full opcode, the most frequent first."""
        counts = np.bincount(self.program.instructions["opcode"], self.executed, len(self.program.opcodes))
        order = np.argsort(-counts, kind="stable")
        return {self.program.opcodes[i]: int(counts[i]) for i in order if counts[i]}

    def counters(self) -> dict[str, int]:
        """Nsight Compute's names and values, as far as the totals determine them; unknown guards leave counts out."""
        records = self.program.instructions
        base = np.array([name.split(".")[0] for name in self.program.opcodes])[records["opcode"]]
        found = {
            "smsp__inst_executed.sum": self.warp_instructions,
            "smsp__thread_inst_executed.sum": int(self.active.sum()),
        }
        if not self.vague.any():
            found["smsp__thread_inst_executed_pred_on.sum"] = int(self.on.sum())
        found |= {pipe_instructions(name): n for name, n in self.per_unit().items() if name in PIPES}
        for name, bases in CLASSES.items():
            found[f"smsp__inst_executed_op_{name}.sum"] = int(self.executed[np.isin(base, bases)].sum())
        for name, opcode in KINDS.items():
            if not self.vague[base == opcode].any():
                found[f"smsp__sass_thread_inst_executed_op_{name}_pred_on.sum"] = int(self.on[base == opcode].sum())
        for name, bases in (("ld", ("LDG", "LDGSTS", "LD")), ("st", ("STG", "ST"))):
            stem, chosen = f"pipe_lsu_mem_global_op_{name}.sum", np.isin(base, bases)
            found[f"l1tex__t_requests_{stem}"] = int(self.requests[chosen].sum())
            found[f"l1tex__t_sectors_{stem}"] = int(self.sectors[chosen].sum())
        return found


def _left(trace: BlockTrace, exits: np.ndarray, on: np.ndarray) -> None:
    """Count of an EXIT with a predicate of its own, in place of lanes that pass its guard, those that leave: they take part
    in nothing of their warp behind it. A GPU counts so (reductions of PyTorch, smsp__thread_inst_executed_pred_on).
    """
    for k in np.flatnonzero(exits[trace.index]):
        end = trace.first[np.searchsorted(trace.first, k, "right")]
        stay = int(np.bitwise_or.reduce(trace.active[k + 1 : end], initial=0))
        on[trace.index[k]] -= int(trace.mask[k] & stay).bit_count()


def count(program: Program, source: BlockSource, vague: Sequence[bool] | None = None, batch: int = 1 << 20) -> Totals:
    """Totals over all blocks of a source."""
    static, records = len(program.instructions), program.instructions
    executed, active, on, requests, sectors = (np.zeros(static, np.int64) for _ in range(5))
    is_global = np.isin(records["space"], (Space.GLOBAL, Space.GLOBAL_TO_SHARED, Space.GENERIC))
    generic = records["space"] == Space.GENERIC
    exits = conditional_exits(program)
    launch = getattr(source, "launch", None)
    end = WINDOWS_END if launch is None else local_window(launch) + WINDOW_BYTES
    windows_end = np.where(generic, end, 0)
    blocks = warps = 0
    trace: BlockTrace | None
    while (trace := source.next_blocks(batch)) is not None:
        executed += np.bincount(trace.index, minlength=static)
        for total, masks in ((active, trace.active), (on, trace.mask)):
            total += np.bincount(trace.index, np.bitwise_count(masks), static).astype(np.int64)
        _left(trace, exits, on)
        rows, width = records["accesses"], records["width"]
        _sectors(trace.index, trace.mask, trace.addresses, rows, is_global, windows_end, width, requests, sectors)
        blocks += len(trace.blocks)
        warps += len(trace.first) - 1
    unknown = np.zeros(static, bool) if vague is None else np.array(vague)
    return Totals(program, blocks, warps, executed, active, on, requests, sectors, unknown)


def emulate_totals(launch: Launch, order: Sequence[int] | None = None) -> Totals:
    """Totals of an emulated launch, or of the blocks `order` of it."""
    from ssmsim.sass.decode import decode_launch
    from ssmsim.tracers.emulated.source import EmulatedBlocks

    source = EmulatedBlocks(launch, order)
    return count(decode_launch(launch).program, source, source.tracing.part.vague)


def spread(blocks: int, wanted: int) -> list[int] | None:
    """`wanted` block ids spread evenly over a grid; None (all) when wanted is 0 or not fewer."""
    if wanted <= 0 or wanted >= blocks:
        return None
    return np.unique(np.linspace(0, blocks - 1, wanted).astype(np.int64)).tolist()
