"""Loops that never end, found by their state: some warps come to the same place with the same registers, every other
warp of the batch stands where it stood with the registers that it had, and nothing that they could read has changed
in between.

Such a loop waits for what another warp or block writes (a flag, a lock) or is a fault of the parameters. Snapshots are
taken after 4096 instructions and at each doubling, so that a loop of any length is found within twice its length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.instruction import Instruction
from ssmsim.tracers.emulated.operand_values import Group
from ssmsim.tracers.emulated.state import State

FIRST_LOOK = 4096  # instructions of a warp
WAITS = (
    "it waits for what no warp before it writes: a flag or lock of another warp or block, which is not replayed yet, or "
    "a parameter that the kernel was not made for"
)


class NeverEnds(SsmsimError):
    """A loop waits for what no warp that runs will write."""


@dataclass
class _Snapshot:
    start: int
    numbers: np.ndarray
    mask: np.ndarray
    version: int
    files: list[np.ndarray]
    paths: list[np.ndarray]


def _paths(state: State) -> list[np.ndarray]:
    """Where all warps stand, and what they wait for."""
    paths = state.paths
    return [*paths.arrays, paths.barrier, paths.origin, state.barrier_count, state.waiting_at, state.voted]


class Endless:
    """Looks at each stretch that is about to run."""

    def __init__(self) -> None:
        self.next = FIRST_LOOK
        self.snapshot: _Snapshot | None = None

    def look(self, state: State, group: Group, start: int, executed: int, ins: Instruction) -> None:
        """executed: instructions of the group's first warp so far. SsmsimError when nothing will ever change."""
        held = self.snapshot
        if held is not None and start == held.start and held.version == state.version:
            same = len(held.numbers) == len(group.numbers) and bool((held.numbers == group.numbers).all())
            if same and self._equal(held, state, group):
                raise NeverEnds("a loop that never ends: a pass leaves all registers as they were", ins.where, WAITS)
        if executed >= self.next:
            self.next = 2 * executed
            files = [file.copy() for file in (state.r, state.ur, state.p, state.up)]
            paths = [array.copy() for array in _paths(state)]
            self.snapshot = _Snapshot(start, group.numbers.copy(), group.mask.copy(), state.version, files, paths)

    @staticmethod
    def _equal(held: _Snapshot, state: State, group: Group) -> bool:
        if not (held.mask == group.mask).all():
            return False
        first = int(group.numbers[0])
        files = (state.r, state.ur, state.p, state.up)
        if held.files[0].shape != state.r.shape:  # blocks have joined the batch
            return False
        if not all((kept[:, first] == file[:, first]).all() for kept, file in zip(held.files, files, strict=True)):
            return False
        if not all((kept == now).all() for kept, now in zip(held.paths, _paths(state), strict=True)):
            return False
        return all((kept == file).all() for kept, file in zip(held.files, files, strict=True))
