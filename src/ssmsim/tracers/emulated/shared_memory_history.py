"""Which store each piece of shared memory holds a value of, so that a load's slice takes in those stores and no others.

Static code cannot tell which stores a load from shared memory reads. One block, run with all of them computed, can: it
gives each load the stores whose values it met. The slice is then cut to these. Later blocks are watched: a load that
meets another store's value ends the shortened slice (state.UnknownMet), and the full one takes over.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ssmsim.sass.decode import Code
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.opcodes import Access, Space
from ssmsim.sass.records import access_bytes
from ssmsim.trace.types import SHARED_WINDOW, WINDOW_BYTES
from ssmsim.tracers.emulated.cluster_access import OFFSET, RANK_SHIFT
from ssmsim.tracers.emulated.operand_values import Group
from ssmsim.tracers.emulated.state import State, UnknownMet

SHARED_SPACES = (Space.SHARED, Space.GLOBAL_TO_SHARED, Space.GENERIC)
Note = Callable[[State, Group, np.ndarray | None, np.ndarray], None]


class History:
    """feeds[i]: static stores whose values load i met, found out now (`known` None) or given."""

    def __init__(self, code: Code, known: dict[int, set[int]] | None = None) -> None:
        stores = [i for i in code.instructions if i.entry.space in SHARED_SPACES and i.entry.access != Access.LOAD]
        self.grain = min((access_bytes(i) for i in stores), default=4)  # bytes that one entry of stored_by stands for
        self.feeds: dict[int, set[int]] = {} if known is None else known
        self.allowed: dict[int, np.ndarray] | None = None
        if known is not None:
            numbers = np.arange(len(code.instructions) + 1)
            self.allowed = {i: np.isin(numbers, [0, *(s + 1 for s in found)]) for i, found in known.items()}

    def open(self, state: State) -> None:
        """Give the state its array of last stores: instruction + 1 per grain, 0 for none."""
        state.stored_by = np.zeros(state.shared.size // self.grain + 16, np.uint16)

    def note(self, ins: Instruction) -> Note:
        """Function (state, group, lanes, rows) that notes a store's, or looks at a load's, pieces of shared memory."""
        count = max(1, access_bytes(ins) // self.grain)
        loads, stores = ins.entry.access in (Access.LOAD, Access.ATOMIC), ins.entry.access != Access.LOAD

        def look(state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
            first = self.pieces(ins, state, group, lanes, rows)
            for k in range(count):
                if loads:
                    self._meet(ins.index, state.stored_by[first + k])
                if stores:
                    state.stored_by[first + k] = ins.index + 1

        return look

    def pieces(
        self, ins: Instruction, state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray
    ) -> np.ndarray:
        """int64: the first piece of each lane's access, of those in shared memory."""
        rows_of = 8 * (4 if ins.has("4") else 2 if ins.has("2") else 1) if ins.base in ("LDSM", "STSM") else 32
        size = state.shared.shape[1]
        address = rows[:, 0] - (SHARED_WINDOW if ins.entry.space == Space.GENERIC else 0)
        own = state.block_of[group.index][:, None]
        if state.cluster.size > 1:
            here = (address >= 0) & (address < state.cluster.size * WINDOW_BYTES)
            rank = np.where(here, address >> RANK_SHIFT, 0)
            if ins.entry.space == Space.GENERIC:
                own = own - own % state.cluster.size + rank
            address = np.where(here, address & OFFSET, -1)
        inside = (address >= 0) & (address < min(size, WINDOW_BYTES)) & (np.arange(32) < rows_of)
        if lanes is not None:
            inside &= lanes if rows_of == 32 else True
        return np.asarray((address + own * size)[inside] // self.grain)

    def _meet(self, index: int, stored: np.ndarray) -> None:
        """Load `index` reads what these stores left. UnknownMet when one of them is new to it."""
        if self.allowed is None:
            self.feeds.setdefault(index, set()).update(int(s) - 1 for s in np.unique(stored) if s)
        elif stored.size and (index not in self.allowed or not self.allowed[index][stored].all()):
            raise UnknownMet
