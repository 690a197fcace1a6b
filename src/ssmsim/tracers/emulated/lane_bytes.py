"""Where the lanes of a memory instruction lie, as byte indices, after checks of bounds and alignment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.opcodes import Space
from ssmsim.sass.records import access_bytes
from ssmsim.trace.types import SHARED_WINDOW, WINDOW_BYTES
from ssmsim.tracers.emulated.address_space import Image, check_alignment
from ssmsim.tracers.emulated.cluster_access import shared_place
from ssmsim.tracers.emulated.hardware import local_window, shared_window_end
from ssmsim.tracers.emulated.operand_values import Group, packed
from ssmsim.tracers.emulated.state import State

NO_MARKS = np.zeros(0, np.uint8)


def all_lanes(lanes: np.ndarray | None, group: Group) -> np.ndarray:
    return np.ones((len(group.numbers), 32), bool) if lanes is None else lanes


@dataclass
class Part:
    """The lanes of an access that touch one memory: its bytes, their indices int64 [W, 32], the lanes, its labels."""

    data: np.ndarray
    place: np.ndarray
    lanes: np.ndarray
    marks: np.ndarray
    space: Space


class Places:
    """Where the lanes of one access lie, as byte indices into one array, after bounds and alignment checks."""

    def __init__(self, state: State, group: Group, image: Image | None, ins: Instruction) -> None:
        self.state, self.group, self.image, self.ins, self.width = state, group, image, ins, access_bytes(ins)

    def __call__(self, space: Space, addresses: np.ndarray, lanes: np.ndarray) -> list[Part]:
        """One part for each memory that the access touches."""
        if self.width in (2, 4, 8, 16):
            check_alignment(addresses, lanes, self.width, self.ins)
        state, group = self.state, self.group
        if space == Space.GENERIC:
            window = local_window(state.launch)
            shared = lanes & (addresses >= SHARED_WINDOW) & (addresses < shared_window_end(state.launch))
            local = lanes & (addresses >= window) & (addresses < window + WINDOW_BYTES)
            parts = [(Space.SHARED, addresses - SHARED_WINDOW, shared), (Space.LOCAL, addresses - window, local),
                     (Space.GLOBAL, addresses, lanes & ~shared & ~local)]  # fmt: skip
            return [p for s, a, m in parts if m.any() for p in self(s, a, m)]
        if space == Space.GLOBAL:
            if self.image is None or not self.image.data.size:
                raise SsmsimError("no memory to read or write", self.ins.where, "give the launch's buffers")
            self.image.check(addresses, packed(lanes, group), self.width, self.ins)
            return [Part(self.image.data, self.image.place(addresses, lanes), lanes, self.image.marks, space)]
        if space == Space.SHARED:
            size = state.shared.shape[1]
            block = state.block_of[group.index][:, None]
            if state.cluster.size > 1:
                addresses, block = shared_place(
                    state, block, addresses, lanes, self.ins, self.ins.entry.space == Space.GENERIC
                )
            first = block * size
            data, marks = state.shared.reshape(-1), state.labels.shared if state.labels else NO_MARKS
        else:
            size = state.local.shape[2] * 4
            first = (group.numbers[:, None] * 32 + np.arange(32)) * size
            data = state.local.reshape(-1).view(np.uint8)
            marks = state.labels.local if state.labels else NO_MARKS
        wrong = lanes & ((addresses < 0) | (addresses + self.width > size))
        if wrong.any():
            kind = "shared" if space == Space.SHARED else "local"
            raise SsmsimError(f"{kind} address {int(addresses[wrong][0]):#x} lies outside {size} bytes", self.ins.where)
        return [Part(data, np.where(lanes, first + addresses, 0), lanes, marks, space)]
