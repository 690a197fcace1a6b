"""Which stores a launch's control turns out to hang on, through shared and global memory: found while its blocks run.

A launch whose blocks wait for each other begins with few stores computed. Where control meets a value that was stored
without being computed, that store is computed from then on, and the launch begins again.
"""

from __future__ import annotations

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.sass.decode import Code
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.opcodes import WARPGROUP_PRODUCTS, Access, Space
from ssmsim.sass.records import access_bytes
from ssmsim.tracers.emulated import polls
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.operand_values import Group
from ssmsim.tracers.emulated.order import OF_GLOBAL
from ssmsim.tracers.emulated.run import ASYNCHRONOUS, Plan
from ssmsim.tracers.emulated.shared_memory_history import History, Note
from ssmsim.tracers.emulated.slice import Slice, copies_shared, slice_program
from ssmsim.tracers.emulated.state import State
from ssmsim.tracers.emulated.unknown import OF_THE_LAUNCH, SPOILED, StoresWanted, Unknowns

FEW, MOST_LEARNED = 3, 24  # stores to shared memory learned one by one before all are computed: nearly all are, or not
ROUNDS = 64  # that a launch begins again


class Learning(History):
    """Marks what stores to shared memory leave whose values are not computed, and tells loads which stores they
    meet."""

    def __init__(self, code: Code, known: dict[int, set[int]], computes: list[bool]) -> None:
        super().__init__(code, known)
        self.code, self.computes = code, computes
        self.unknowns: Unknowns | None = None

    def note(self, ins: Instruction) -> Note:
        look, width = super().note(ins), access_bytes(ins)
        if ins.entry.access == Access.LOAD or self.computes[ins.index]:
            return look

        def mark(state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
            look(state, group, lanes, rows)
            assert state.labels is not None
            at = self.pieces(ins, state, group, lanes, rows) * self.grain
            for k in range(width):
                state.labels.shared[at + k] = SPOILED

        return mark

    def _meet(self, index: int, stored: np.ndarray) -> None:
        new = {int(s) - 1 for s in np.unique(stored) if s}
        new = {s for s in new if not self.computes[s]}
        if not new or self.unknowns is None:
            return
        if any(self.code.instructions[s].entry.access in ASYNCHRONOUS for s in new):
            raise StoresWanted({index: new})
        self.unknowns.spoilers.setdefault(index, set()).update(new)


class FollowedStores:
    """Of one launch.

    whole: slice of what control may hang on. part: what is computed now. passed_on, feeds: by load, the stores to
    global and to shared memory that are computed for it; feeds None: any store to shared memory.
    """

    def __init__(self, code: Code, launch: Launch, everything: bool = False) -> None:
        """everything: compute all that the launch does, whether or not control hangs on it."""
        self.code, self.launch, self.everything = code, launch, everything
        self.whole = slice_program(code, everything=everything)
        self.passed_on = _strong(code, self.whole)
        self.feeds: dict[int, set[int]] | None = {}
        self.rounds = self.learned = 0
        self.part: Slice = self.whole

    def plan(self, image: Image) -> Plan:
        """The plan to begin with, over fresh memory."""
        if self.everything:
            return Plan(self.code, image, image, self.whole, labelled=True)
        self.part = slice_program(self.code, feeds=self.feeds, passed_on=self.passed_on)
        products = [i.base in WARPGROUP_PRODUCTS for i in self.code.instructions]
        products_read = any(p and c for p, c in zip(products, self.part.computes, strict=True))
        if self.feeds is not None and (products_read or copies_shared(self.code, self.part)):
            self.feeds = None  # what they read in shared memory is not followed
            self.part = slice_program(self.code, passed_on=self.passed_on)
        history = None if self.feeds is None else Learning(self.code, self.feeds, self.part.computes)
        plan = Plan(self.code, image, image, self.part, labelled=True, history=history)
        if history is not None:
            history.unknowns = plan.unknowns
        return plan

    def learn(self, feeds: dict[int, set[int]]) -> None:
        """Compute more from now on. feeds: of a StoresWanted. SsmsimError where that is nothing new."""
        self.rounds += 1
        if not self._add(feeds) or self.rounds > ROUNDS:
            load = self.code.instructions[next(iter(feeds))]
            raise SsmsimError(f"control depends on what {load.place} loads", load.where, OF_THE_LAUNCH)
        nearly = sum(self.whole.computes) <= 1.5 * sum(self.part.computes)
        if self.learned >= (FEW if nearly else MOST_LEARNED):
            self.feeds = None

    def _add(self, feeds: dict[int, set[int]]) -> bool:
        """Loads that control hangs on, and stores that they meet, from now on computed. Is anything of it new?"""
        new = False
        for load, stores in feeds.items():
            space = self.code.instructions[load].entry.space
            shared = self.feeds is not None and space not in (Space.GLOBAL, Space.GLOBAL_TO_SHARED)
            self.learned += shared
            for known in ([self.passed_on] if space in OF_GLOBAL else []) + (
                [self.feeds] if shared and self.feeds is not None else []
            ):
                new |= not stores <= known.get(load, set())
                known[load] = known.get(load, set()) | stores
        return new


def _strong(code: Code, part: Slice) -> dict[int, set[int]]:
    """What control may be expected to need, so that a launch begins again less often: strong stores, for strong loads
    that poll.
    """
    loops = polls.polling(code.instructions, part)
    strong = [i for i in code.instructions if i.has("STRONG") and i.entry.space in OF_GLOBAL]
    stores = {i.index for i in strong if i.entry.access in (Access.STORE, Access.ATOMIC)}
    return {
        i.index: set(stores) for i in strong
        if i.entry.access == Access.LOAD and part.computes[i.index] and loops[i.index]
    }  # fmt: skip
