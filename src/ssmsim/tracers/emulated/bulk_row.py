"""What a bulk or tensor copy leaves in a trace, and which blocks' shared memory it goes to."""

from __future__ import annotations

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.operands import Operand
from ssmsim.tracers.emulated.cluster_access import OFFSET, shared_place
from ssmsim.tracers.emulated.operand_values import Group, reader
from ssmsim.tracers.emulated.state import State

# Lanes of a copy's row of addresses (see BlockTrace); -1 where it has none of it.
GLOBAL, SHARED, BARRIER, BYTES, MASK, AT = 0, 1, 2, 3, 4, 5
# And the bytes of global memory that it touches, out of bounds left out: runs of RUN bytes from FIRST on, nested COUNTS
# (how many, from the innermost) with STRIDES in bytes from one to the next.
FIRST, RUN, COUNTS, STRIDES, OUTER = 16, 17, 18, 22, 4
BARRIER_ALIGNMENT = 8


def executing(lanes: np.ndarray | None, group: Group) -> np.ndarray:
    """bool[W]: the warps that issue a copy; lanes: those whose guard holds, None for all."""
    if lanes is None:
        return np.ones(len(group.numbers), bool)
    return np.asarray(np.broadcast_to(lanes, (len(group.numbers), lanes.shape[-1])).any(axis=1))


def empty_rows(group: Group) -> np.ndarray:
    return np.full((len(group.numbers), 1, 32), -1, np.int64)


def note_run(rows: np.ndarray) -> None:
    """The touched bytes of copies of one run each: from GLOBAL on, BYTES long."""
    rows[:, 0, FIRST], rows[:, 0, RUN] = rows[:, 0, GLOBAL], rows[:, 0, BYTES]
    rows[:, 0, COUNTS : COUNTS + OUTER], rows[:, 0, STRIDES : STRIDES + OUTER] = 1, 0


class Targets:
    """Which blocks a copy into shared memory goes to: one, by the rank in its address, or those of a mask (.MULTICAST)."""

    def __init__(self, ins: Instruction, mask: Operand | None) -> None:
        """mask: the operand with the set of ranks in its high 16 bits."""
        self.ins, self.several = ins, ins.has("MULTICAST")
        self.read = reader(mask, ins) if self.several else None

    def note(self, state: State, group: Group, rows: np.ndarray) -> None:
        if self.read is not None:
            rows[:, 0, MASK] = np.broadcast_to(self.read(state, group), (len(rows), 1))[:, 0].astype(np.int64) >> 16

    def of(
        self, state: State, own: np.ndarray, row: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(number of the copy, block, place of the data, place of the barrier) for each target of copies row[n, 32]
        issued by the blocks own[n]. Blocks are places in the batch.
        """
        address, barrier = row[:, SHARED], row[:, BARRIER]
        wrong = barrier % BARRIER_ALIGNMENT != 0
        if wrong.any():
            raise SsmsimError(
                f"mbarrier at {int(barrier[wrong][0]):#x} is not aligned", self.ins.where, "a fault on a GPU"
            )
        size, every = state.cluster.size, np.ones(len(row), bool)
        if not self.several:
            place, block = shared_place(state, own, address, every, self.ins, remote=True)
            at, other = shared_place(state, own, barrier, every, self.ins, remote=True)
            if (block != other).any():
                raise SsmsimError("data and mbarrier lie in different blocks", self.ins.where, "a fault on a GPU")
            return np.arange(len(row)), block, place, at
        if (row[:, MASK] >> size).any():
            what = f"a mask of blocks {int(row[:, MASK].max()):#x} for a cluster of {size}"
            raise SsmsimError(what, self.ins.where, "a fault on a GPU")
        who, rank = np.nonzero(row[:, MASK, None] >> np.arange(size) & 1)
        return who, (own - own % size)[who] + rank, (address & OFFSET)[who], (barrier & OFFSET)[who]

    def source(self, state: State, own: np.ndarray, address: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(place, block) that a copy reads: its own block's."""
        return shared_place(state, own, address, np.ones(len(own), bool), self.ins, remote=False)

    def fits(self, offset: int, count: int, size: int) -> None:
        """SsmsimError when `count` bytes from `offset` on are not in a block's `size` bytes."""
        if offset + count > size:
            what = f"{count} bytes at shared address {offset:#x} reach beyond {size} bytes"
            raise SsmsimError(what, self.ins.where, "a fault on a GPU")
