"""Two runs of a program have their buffers at different addresses: how far each lies from where the other had it.

A trace is taken in another run than the launch's parameters (a tracer and CUPTI exclude each other), so its addresses
are those of that run. A buffer moves as a whole: every access to it shows the same distance, or it isn't believed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ssmsim.launch import Launch
from ssmsim.trace.types import BlockTrace, Program

UNKNOWN = -1


@dataclass(frozen=True, order=True)
class Move:
    """`bytes` bytes that the launch has from address `captured` on lie at `traced` in the trace."""

    captured: int
    traced: int
    bytes: int


class Distances:
    """Collects, batch by batch, where the buffers of a launch lie in a trace of another run of it."""

    def __init__(self, launch: Launch, program: Program) -> None:
        self._accesses = program.instructions["accesses"]
        places = sorted({(buffer.address, buffer.bytes) for buffer in launch.buffers if buffer.bytes})
        self._starts, self._bytes = (np.array([place[i] for place in places], np.int64) for i in (0, 1))
        self._found: set[tuple[int, int]] = set()
        self._same_path = True

    def add(self, ours: BlockTrace, theirs: BlockTrace) -> None:
        """`ours` with the launch's addresses, `theirs` with the other run's: the same blocks in the same order."""
        if not np.array_equal(ours.index, theirs.index) or not np.array_equal(ours.first, theirs.first):
            self._same_path = False
            return
        rows = np.repeat(ours.mask & theirs.mask, self._accesses[ours.index])
        lanes = rows[:, None] >> np.arange(32, dtype=np.uint32) & 1 != 0
        # lanes of an LDGSTS that fill with zeros (negative) point anywhere, also into the buffer behind their own
        known = lanes & (theirs.addresses != UNKNOWN) & (ours.addresses >= 0)
        mine, other = ours.addresses[known], theirs.addresses[known]
        place, inside = _places(self._starts, self._bytes, mine)
        pairs = np.stack([place[inside], (other - mine)[inside]])
        self._found |= {(int(i), int(distance)) for i, distance in np.unique(pairs, axis=1).T}

    def moves(self) -> list[Move] | None:
        """One per buffer that was accessed; None when the runs took different paths or a buffer lies nowhere."""
        if not self._same_path or len({i for i, _ in self._found}) != len(self._found):
            return None
        return sorted(
            Move(int(self._starts[i]), int(self._starts[i]) + distance, int(self._bytes[i]))
            for i, distance in self._found
        )


def moved_back(trace: BlockTrace, moves: Sequence[Move]) -> BlockTrace:
    """The trace with its addresses as the launch has them; addresses in none of the buffers stay."""
    ordered = sorted(moves, key=lambda move: move.traced)
    if not ordered:
        return trace
    starts, sizes, distance = (
        np.array([value(move) for move in ordered], np.int64)
        for value in (lambda m: m.traced, lambda m: m.bytes, lambda m: m.captured - m.traced)
    )
    place, inside = _places(starts, sizes, trace.addresses)
    return replace(trace, addresses=trace.addresses + np.where(inside, distance[place], 0))


def _places(starts: np.ndarray, sizes: np.ndarray, addresses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(index of the last range that starts at or below each address, whether the address lies in it)."""
    if not len(starts):
        return np.zeros(addresses.shape, np.int64), np.zeros(addresses.shape, bool)
    place = np.searchsorted(starts, addresses, "right") - 1
    return np.maximum(place, 0), (place >= 0) & (addresses < (starts + sizes)[place])
