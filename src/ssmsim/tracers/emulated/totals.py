"""Totals of what a launch executes, in the counts that Nsight Compute measures."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ssmsim.launch import Launch
from ssmsim.sass.opcodes import Unit
from ssmsim.trace.types import BlockSource, Program


@dataclass(frozen=True)
class Totals:
    """Sums over the blocks run.

    warps, blocks: run. per_instruction: executed warp instructions of each static one, int64[static].
    active_threads, guarded_threads: threads that arrived, and that executed, int64[static]; guards that depend on
    unrecorded data count as true.
    """

    program: Program
    blocks: int
    warps: int
    per_instruction: np.ndarray
    active_threads: np.ndarray
    guarded_threads: np.ndarray

    @property
    def warp_instructions(self) -> int:
        """smsp__inst_executed.sum"""
        return int(self.per_instruction.sum())

    @property
    def thread_instructions(self) -> int:
        """smsp__thread_inst_executed.sum"""
        return int(self.active_threads.sum())

    @property
    def thread_instructions_on(self) -> int:
        """smsp__thread_inst_executed_pred_on.sum"""
        return int(self.guarded_threads.sum())

    def per_unit(self) -> dict[str, int]:
        """Warp instructions per pipe."""
        units = np.bincount(self.program.instructions["unit"], self.per_instruction, len(Unit))
        return {unit.name.lower(): int(units[unit]) for unit in Unit}

    def per_opcode(self) -> dict[str, int]:
        """Warp instructions per full opcode, the most frequent first."""
        counts = np.bincount(self.program.instructions["opcode"], self.per_instruction, len(self.program.opcodes))
        order = np.argsort(-counts, kind="stable")
        return {self.program.opcodes[i]: int(counts[i]) for i in order if counts[i]}


def count(program: Program, source: BlockSource, batch: int = 1 << 20) -> Totals:
    """Totals over all blocks of a source."""
    static = len(program.instructions)
    per, active, on = (np.zeros(static, np.int64) for _ in range(3))
    blocks = warps = 0
    while (trace := source.next_blocks(batch)) is not None:
        per += np.bincount(trace.index, minlength=static)
        for total, masks in ((active, trace.active), (on, trace.mask)):
            total += np.bincount(trace.index, np.bitwise_count(masks), static).astype(np.int64)
        blocks += len(trace.blocks)
        warps += len(trace.first) - 1
    return Totals(program, blocks, warps, per, active, on)


def emulate_totals(launch: Launch, order: Sequence[int] | None = None) -> Totals:
    """Totals of an emulated launch, or of the blocks `order` of it."""
    from ssmsim.sass.decode import decode_launch
    from ssmsim.tracers.emulated.source import EmulatedBlocks

    return count(decode_launch(launch).program, EmulatedBlocks(launch, order))


def spread(blocks: int, wanted: int) -> list[int] | None:
    """`wanted` block ids spread evenly over a grid; None (all) when wanted is 0 or not fewer."""
    if wanted <= 0 or wanted >= blocks:
        return None
    return np.unique(np.linspace(0, blocks - 1, wanted).astype(np.int64)).tolist()
