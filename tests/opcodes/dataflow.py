"""Operand roles against ptxas' own code: it never reads a register that nothing has written, nor writes one in vain."""

from collections.abc import Iterator

from ssmsim.sass.decode import Code
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.opcodes import Access, Control
from ssmsim.tracers.emulated.resources import SHARED, UP, UR, P, facts, successors

REGISTERS = (1 << SHARED) - 1
STACK = 3 << 2  # R1, the stack pointer: written at every kernel's start
# What takes all predicates at once, or keeps what it does not change, reads what may never have been written.
KEEPS = ("P2R", "R2P", "UP2UR", "UR2UP", "BMOV", "PRMT")


def names(bits: int) -> str:
    """Registers of a bit set."""
    found = []
    for place in range(SHARED):
        if bits >> place & 1:
            kind, number = next(
                (k, place - first) for k, first in (("UP", UP), ("P", P), ("UR", UR), ("R", 0)) if place >= first
            )
            found.append(f"R{number // 2}.{'lh'[number % 2]}" if kind == "R" else f"{kind}{number}")
    return ", ".join(found)


def faults(code: Code) -> Iterator[str]:
    """One line for each instruction whose operands do not fit those around it."""
    table = [facts(i, False) for i in code.instructions]
    reads = [
        (f.data | f.record | f.guard) & REGISTERS | _policies(i) for f, i in zip(table, code.instructions, strict=True)
    ]
    writes = [f.writes & REGISTERS for f in table]
    following = [[j for j, _ in edges] for edges in successors(code)]
    written = _reaching(writes, following)
    live = _live(reads, writes, [f.kills & REGISTERS if f.condition is None else 0 for f in table], following)
    for ins, read, write, before, behind in zip(code.instructions, reads, writes, written, live, strict=True):
        if before is None or ins.base in KEEPS:
            continue
        if read & ~before & ~STACK:
            yield f"{ins.text}: reads {names(read & ~before & ~STACK)}, which nothing has written"
        acts = ins.entry.access != Access.NONE or ins.entry.control != Control.NONE
        if write and not acts and not write & behind & ~STACK and not write & STACK:
            yield f"{ins.text}: writes {names(write)}, which nothing reads"


def _policies(ins: Instruction) -> int:
    """Uniform registers of desc[UR], which are no address and no data."""
    return sum(3 << UR + o.descriptor for o in ins.sources if o is not None and o.descriptor >= 0)


def _reaching(writes: list[int], following: list[list[int]]) -> list[int | None]:
    """Registers that may have been written when an instruction is reached; None for one that never is."""
    before: list[int | None] = [0, *([None] * (len(writes) - 1))]
    queue = [0]
    while queue:
        i = queue.pop()
        out = (before[i] or 0) | writes[i]
        for j in following[i]:
            old = before[j]
            if old is None or out & ~old:
                before[j] = (old or 0) | out
                queue.append(j)
    return before


def _live(reads: list[int], writes: list[int], kills: list[int], following: list[list[int]]) -> list[int]:
    """Registers that may be read behind an instruction."""
    inside, behind = [0] * len(reads), [0] * len(reads)
    changed = True
    while changed:
        changed = False
        for i in range(len(reads) - 1, -1, -1):
            out = 0
            for j in following[i]:
                out |= inside[j]
            into = out & ~kills[i] | reads[i]
            changed |= into != inside[i] or out != behind[i]
            inside[i], behind[i] = into, out
    return behind
