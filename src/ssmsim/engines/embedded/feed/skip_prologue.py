"""launch.skip_prologue: streams without what a persistent kernel does once per SM instead of once per tile."""

import numpy as np

from ssmsim.sass.opcodes import Space
from ssmsim.trace.types import BlockTrace, Program

GLOBAL = (Space.GLOBAL, Space.GENERIC, Space.GLOBAL_TO_SHARED)


def without(trace: BlockTrace, program: Program) -> BlockTrace:
    """The trace with every warp starting at its first global access; a warp that makes none stays whole."""
    rows = program.instructions["accesses"][trace.index]
    at = np.flatnonzero(np.isin(program.instructions["space"], GLOBAL)[trace.index])
    first, last = trace.first[:-1], trace.first[1:]
    found = np.searchsorted(at, first)
    start = np.append(at, len(trace.index))[found]
    start = np.where(start < last, start, first)
    keep = np.arange(len(trace.index)) >= np.repeat(start, last - first)
    kept, kept_rows = np.append(0, np.cumsum(keep)), np.append(0, np.cumsum(np.where(keep, rows, 0)))
    return BlockTrace(trace.blocks, kept[trace.first], trace.index[keep], trace.mask[keep], trace.active[keep],
                      kept_rows[trace.first], trace.addresses[np.repeat(keep, rows)])  # fmt: skip
