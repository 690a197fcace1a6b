"""Two traces of the same blocks side by side: every instruction, every mask, every lane's address."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from ssmsim.trace.types import BlockTrace, Program

UNKNOWN = -1  # an address row that one side does not hold


@dataclass
class Agreement:
    """What was compared and what differs.

    instructions, warps, lanes: executed warp instructions, warps, and lane addresses compared.
    other_path: warps whose sequence of instructions differs. masks, addresses: differing ones per static instruction.
    """

    warps: int = 0
    instructions: int = 0
    lanes: int = 0
    other_path: list[tuple[int, int]] = field(default_factory=list)
    masks: Counter[int] = field(default_factory=Counter)
    addresses: Counter[int] = field(default_factory=Counter)

    def rows(self, program: Program) -> list[tuple[str, int, str]]:
        """(kind, count, static instruction) of each difference, for people."""
        found = [("instructions", 1, f"block {b} warp {w}") for b, w in self.other_path]
        for kind, counter in (("mask", self.masks), ("address", self.addresses)):
            for i, n in sorted(counter.items()):
                found.append((kind, n, f"PC {16 * i:#06x} {program.text[i]}"))
        return found


def compare(program: Program, ours: BlockTrace, theirs: BlockTrace, filled: bool = True) -> Agreement:
    """Compare two traces of the same blocks in the same order; addresses where both masks hold and both sides know.

    filled: compare lanes of an LDGSTS that read nothing and fill with zeros too. They may point outside every buffer,
    so in a trace of another run nothing says where they would point in ours.
    """
    result = Agreement()
    accesses = program.instructions["accesses"]
    warps = len(ours.first) - 1
    for w in range(warps):
        a, b = slice(*ours.first[w : w + 2]), slice(*theirs.first[w : w + 2])
        index = ours.index[a]
        result.warps += 1
        if not np.array_equal(index, theirs.index[b]):
            per_block = warps // len(ours.blocks)
            result.other_path.append((int(ours.blocks[w // per_block]), w % per_block))
            continue
        result.instructions += len(index)
        unlike = ours.mask[a] != theirs.mask[b]
        result.masks.update(index[unlike].tolist())
        owner = np.repeat(np.arange(len(index)), accesses[index])
        mine, other = (t.addresses[slice(*t.first_access[w : w + 2])] for t in (ours, theirs))
        lanes = (ours.mask[a] & theirs.mask[b])[owner][:, None] >> np.arange(32, dtype=np.uint32) & 1 != 0
        known = lanes & (other != UNKNOWN) & (filled | (mine >= 0))
        # lanes that fill with zeros carry ~address; NVBit shows the address alone
        wrong = known & (mine != other) & (~mine != other)
        result.lanes += int(known.sum())
        wrong = wrong.any(axis=1)
        result.addresses.update(index[owner[wrong]].tolist())
    return result
