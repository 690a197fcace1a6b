"""Which registers a thread can still read: backward dataflow over the control-flow graph of a kernel's SASS.

A register is live before an instruction when some path from there reads it before it is written. An instruction under a
guard may leave its destination as it was, so its write ends no life. Calls are followed: a return may go behind any call.
What is read while later instructions issue counts as long as it can be: operands of a warpgroup product in registers are
read until the next WARPGROUP.DEPBAR, and results that nobody reads may be on their way to the end.

Muchnick, Advanced Compiler Design and Implementation, 14.1.3 (live variables).
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from ssmsim.errors import SsmsimError
from ssmsim.sass.decode import Code
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.opcodes import WARPGROUP_PRODUCTS, Access, Control, Unit
from ssmsim.sass.operands import Operand
from ssmsim.sass.records import registers

SLOW = (Unit.LSU, Unit.XU, Unit.ADU, Unit.TENSOR)  # their results may come after many later instructions have issued
TODO = "hold its registers until the block ends (sm.register_release: block_end)"


@dataclass(frozen=True)
class Registers:
    """Registers of one instruction, as bit sets: read, written, and written whatever its guard says."""

    read: int
    written: int
    ends: int


@dataclass(frozen=True)
class Pressure:
    """Registers of a thread, per instruction.

    needs: live while it executes: those that it or something behind it reads, and its results.
    holds: most that anything reachable from it needs, itself included.
    """

    needs: tuple[int, ...]
    holds: tuple[int, ...]


def pressure(code: Code) -> Pressure:
    """Raises SsmsimError naming the first instruction behind which the way is not known, or that moves registers."""
    following = successors(code.instructions)
    own = [registers_of(ins) for ins in code.instructions]
    own = _late_reads(code.instructions, own)
    before = live(own, following)
    after = [reduce(or_, (before[j] for j in edges), 0) for edges in following]
    unread = reduce(or_, (r.written & ~a for i, r, a in zip(code.instructions, own, after, strict=True) if _slow(i)), 0)
    coming = unread.bit_count()
    needs = [max(b.bit_count(), (a | r.written).bit_count()) for b, a, r in zip(before, after, own, strict=True)]
    # Results on their way count from the start: which of them are, no instruction says.
    needs = [need + coming if need else 0 for need in needs]
    return Pressure(tuple(needs), tuple(most_reachable(needs, following)))


def successors(instructions: Sequence[Instruction]) -> list[list[int]]:
    """Instructions that may execute next, of each. Raises SsmsimError where that is not known."""
    last = len(instructions) - 1
    calls = [i.index + 1 for i in instructions if i.entry.control == Control.CALL and i.index < last]
    found = []
    for ins in instructions:
        control, following = ins.entry.control, [ins.index + 1] if ins.index < last else []
        if ins.base == "USETMAXREG":
            raise SsmsimError("registers move between the warps of a block here, so that what a warp holds "
                              "is not known from its own code", ins.where, TODO)  # fmt: skip
        jumps = control in (Control.BRANCH, Control.CALL)
        if control == Control.INDIRECT or (jumps and ins.target < 0) or (control == Control.RETURN and not calls):
            raise SsmsimError("where it goes is not known, so neither is what is read behind it", ins.where, TODO)
        stays = ins.guard is not None or any(s is not None and s.kind in ("P", "UP", "UR") for s in ins.sources)
        if jumps:
            following = [ins.target, *(following if stays else [])]
        elif control == Control.RETURN:
            following = [*calls, *(following if stays else [])]
        elif control == Control.EXIT:
            following = following if stays else []
        elif control == Control.WARPSYNC and ins.target >= 0:
            following = [ins.target, *following]
        found.append(following)
    return found


def registers_of(ins: Instruction) -> Registers:
    """General registers that an instruction names, R255 (RZ) never."""
    read, written = _bits(ins.sources), _bits(ins.destinations)
    return Registers(read, written, written if ins.guard is None else 0)


def live(own: Sequence[Registers], following: Sequence[Sequence[int]]) -> list[int]:
    """Registers live before each instruction, as bit sets: the least solution of in = read | (out & ~ends)."""
    before = [r.read for r in own]
    preceding = _reversed(following)
    waiting = deque(range(len(own) - 1, -1, -1))
    queued = [True] * len(own)
    while waiting:
        i = waiting.popleft()
        queued[i] = False
        after = reduce(or_, (before[j] for j in following[i]), 0)
        found = own[i].read | (after & ~own[i].ends)
        if found != before[i]:
            before[i] = found
            for j in preceding[i]:
                if not queued[j]:
                    queued[j] = True
                    waiting.append(j)
    return before


def most_reachable(values: Sequence[int], following: Sequence[Sequence[int]]) -> list[int]:
    """Of each instruction the largest value of those reachable from it, itself included."""
    most, preceding = list(values), _reversed(following)
    for i in sorted(range(len(most)), key=lambda i: -values[i]):  # the first to come is the largest
        waiting = [i]
        while waiting:
            for j in preceding[waiting.pop()]:
                if most[j] < values[i]:
                    most[j] = values[i]
                    waiting.append(j)
    return most


def _bits(operands: Sequence[Operand | None]) -> int:
    found = 0
    for operand in operands:
        first, count = registers(operand)
        if first >= 0:
            found |= (1 << count) - 1 << first
    return found


def _slow(ins: Instruction) -> bool:
    """Whether its results come when they come."""
    return ins.entry.access != Access.NONE or ins.entry.unit in SLOW


def _late_reads(instructions: Sequence[Instruction], own: list[Registers]) -> list[Registers]:
    """A WARPGROUP.DEPBAR reads what products in flight may still read."""
    products = reduce(or_, (r.read for i, r in zip(instructions, own, strict=True) if i.base in WARPGROUP_PRODUCTS), 0)
    waits = [i.base == "WARPGROUP" and i.has("DEPBAR") for i in instructions]
    return [
        Registers(r.read | products, r.written, r.ends) if waits_ else r for r, waits_ in zip(own, waits, strict=True)
    ]


def _reversed(following: Sequence[Sequence[int]]) -> list[list[int]]:
    preceding: list[list[int]] = [[] for _ in following]
    for i, edges in enumerate(following):
        for j in edges:
            preceding[j].append(i)
    return preceding
