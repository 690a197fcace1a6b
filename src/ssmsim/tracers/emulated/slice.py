"""The backward slice: which static instructions must be carried out so that addresses, masks and branches are right.

A value is wanted when an address, a branch, a barrier or a guard reads it, or another wanted instruction does. The analysis runs
backwards over the flow graph until nothing changes (strongly live variables), register by register, so that a register that
holds an address here and floating-point data there costs only what the address needs.

Resources are bits of one integer: R0-254, UR, P, UP, words of the stack (frame offsets known at decode time), and memory
spaces. Loads from shared memory that are wanted make the data of every store to shared memory wanted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ssmsim.sass.opcodes import Access, Control, Space
from ssmsim.sass.operands import PT, RZ, URZ, Operand
from ssmsim.sass.records import access_bytes, predicate_set, registers, uniforms

if TYPE_CHECKING:
    from ssmsim.sass.decode import Code, Instruction

UR, P, UP, SHARED, GLOBAL = 256, 320, 328, 336, 337
STACK = 340  # one bit per word below the frame's top
STACK_WORDS = 4096
STACK_REGISTER = 1


def _bits(first: int, count: int) -> int:
    return ((1 << count) - 1) << first


def operand_bits(operand: Operand | None) -> int:
    """Resources that an operand names (its address registers, for memory)."""
    if operand is None:
        return 0
    bits = 0
    if operand.kind == "R" and operand.index != RZ or operand.kind in ("mem", "const"):
        first, count = registers(operand)
        bits |= _bits(first, count) if first >= 0 else 0
    for u in uniforms(operand):
        if u != URZ and (operand.kind != "mem" or u not in (operand.descriptor, operand.descriptor + 1)):
            bits |= 1 << UR + u
    if operand.kind == "P" and operand.index != PT:
        bits |= 1 << P + operand.index
    if operand.kind == "UP" and operand.index != PT:
        bits |= 1 << UP + operand.index
    return bits


def _predicate_bits(numbers: int) -> int:
    return (numbers & 0x7F) << P | (numbers >> 8 & 0x7F) << UP


@dataclass(frozen=True)
class Facts:
    """Of one instruction: what it writes, what its result, its trace record and its guard need."""

    writes: int
    data: int
    record: int
    guard: int
    kills: int


def _stack_words(ins: Instruction) -> int | None:
    """Bits of the stack words a local access touches; None when its address is not R1 plus a constant."""
    operand = next(s for s in ins.sources if s is not None and s.kind == "mem")
    if operand.base != STACK_REGISTER or operand.uniform >= 0 or operand.scale != 1 or operand.value < 0:
        return None
    first, last = operand.value // 4, (operand.value + access_bytes(ins) - 1) // 4
    if last >= STACK_WORDS:
        return None
    return _bits(STACK + first, last - first + 1)


def facts(ins: Instruction, fixed_stack: bool) -> Facts:
    """Resources of one instruction."""
    entry, access = ins.entry, ins.entry.access
    writes = 0
    for operand in ins.destinations:
        writes |= operand_bits(operand)
    writes |= _predicate_bits(predicate_set(ins, (), written=True))
    kills = writes if ins.guard is None else 0
    guard = operand_bits(ins.guard)
    sources = [operand_bits(s) for s in ins.sources]
    reads = _predicate_bits(predicate_set(ins, (), written=False))
    for bits in sources:
        reads |= bits
    record = 0
    if access != Access.NONE and entry.space != Space.CONSTANT:
        for operand, bits in zip(ins.sources, sources, strict=True):
            if operand is not None and (operand.kind == "mem" or (access == Access.COPY and operand.kind in ("P", "UP"))):
                record |= bits
    if ins.base == "HGMMA":
        for operand in ins.sources:
            record |= operand_bits(operand) if operand is not None and operand.kind == "gdesc" else 0
    if entry.control not in (Control.NONE, Control.BMOV) or ins.base == "BMOV":
        record |= reads
    memory_read, memory_written = _memory(ins, fixed_stack)
    reads |= memory_read
    writes |= memory_written
    if entry.space == Space.LOCAL and ins.guard is None and fixed_stack and _stack_words(ins) is not None:
        kills |= memory_written
    return Facts(writes, reads, record, guard, kills)


def _memory(ins: Instruction, fixed_stack: bool) -> tuple[int, int]:
    """(resources read, resources written) in memory, as far as another instruction's value may pass through them."""
    access, space = ins.entry.access, ins.entry.space
    if ins.base == "HGMMA":
        return 1 << SHARED, 0
    if access == Access.NONE or space == Space.CONSTANT:
        return 0, 0
    if access == Access.COPY:
        return 1 << GLOBAL, 1 << SHARED
    if space == Space.LOCAL:
        words = _stack_words(ins) if fixed_stack else None
        bits = _bits(STACK, STACK_WORDS) if words is None else words
    elif space == Space.GENERIC:
        bits = 1 << SHARED | 1 << GLOBAL | _bits(STACK, STACK_WORDS)
    else:
        bits = 1 << (SHARED if space == Space.SHARED else GLOBAL)
    if access == Access.LOAD:
        return bits, 0
    return (bits, bits) if access == Access.ATOMIC else (0, bits)


def successors(code: Code) -> list[list[int]]:
    """Per instruction, the indices that may execute next. Indirect branches may go to any leader, returns behind any call."""
    instructions = code.instructions
    last = len(instructions) - 1
    after_calls = [i.index + 1 for i in instructions if i.entry.control == Control.CALL and i.index < last]
    leaders = sorted({i.target for i in instructions if i.target >= 0}
                     | {i.index + 1 for i in instructions if i.entry.control in (Control.BRANCH, Control.INDIRECT)
                        and i.index < last} | {v // 16 for v in code.kernel.symbols.values()})  # fmt: skip
    following: list[list[int]] = []
    for ins in instructions:
        control, next_ = ins.entry.control, [ins.index + 1] if ins.index < last else []
        conditional = ins.guard is not None or any(s is not None and s.kind in ("P", "UP") for s in ins.sources)
        if control == Control.BRANCH:
            found = ([ins.target] if ins.target >= 0 else leaders) + (next_ if conditional or ins.sources[1] is not None else [])
        elif control == Control.CALL:
            found = ([ins.target] if ins.target >= 0 else leaders) + (next_ if conditional else [])
        elif control == Control.INDIRECT:
            found = leaders + (next_ if conditional else [])
        elif control == Control.RETURN:
            found = after_calls + (next_ if conditional else [])
        elif control == Control.EXIT:
            found = next_ if conditional else []
        elif control == Control.WARPSYNC and ins.target >= 0:
            found = [ins.target, *next_]
        else:
            found = next_
        following.append(found)
    return following


@dataclass(frozen=True)
class Slice:
    """Which instructions to carry out. computes[i]: its results (or the data it moves); guarded[i]: its guard is known.

    loads_global: some wanted value comes from device memory.
    """

    computes: list[bool]
    guarded: list[bool]
    loads_global: bool


def _live(code: Code, table: list[Facts], following: list[list[int]], wanted: list[int], seeds: set[int]) -> list[bool]:
    """Strongly live: seeds[i] compute regardless; others when they write something live. wanted[i]: resources i needs live."""
    count = len(table)
    live_in = [0] * count
    computes = [i in seeds for i in range(count)]
    work = True
    memory = _bits(SHARED, 2)
    stored = 0  # memory resources some wanted load reads: flow-insensitive for shared and global memory
    while work:
        work = False
        for i in range(count - 1, -1, -1):
            out = 0
            for j in following[i]:
                out |= live_in[j]
            fact = table[i]
            hit = fact.writes & (out & ~memory | stored)
            live = out & ~fact.kills | wanted[i]
            if hit or computes[i]:
                computes[i] = True
                live |= fact.data | fact.guard
                stored |= fact.data & (_bits(SHARED, 2))
            if live != live_in[i]:
                live_in[i], work = live, True
        if not work:
            before = sum(computes)
            for i, fact in enumerate(table):
                if fact.writes & stored and not computes[i]:
                    computes[i] = True
            work = sum(computes) != before
    return computes


def slice_program(code: Code, everything: bool = False) -> Slice:
    """The slice of a kernel; `everything`: all instructions (full mode)."""
    instructions = code.instructions
    count = len(instructions)
    if everything:
        return Slice([True] * count, [True] * count, True)
    stack_writes = [i for i in instructions if any(
        d is not None and d.kind == "R" and d.index <= STACK_REGISTER < d.index + d.count for d in i.destinations)]  # fmt: skip
    calls = any(i.entry.control == Control.CALL for i in instructions)
    fixed_stack = not calls and all(i.index < 32 for i in stack_writes) and len(stack_writes) <= 2
    table = [facts(i, fixed_stack) for i in instructions]
    following = successors(code)
    # what the trace itself needs, then guards of all other instructions where they can be known
    needed = [f.record | (f.guard if f.record or i.entry.control != Control.NONE or i.entry.access != Access.NONE else 0)
              for f, i in zip(table, instructions, strict=True)]  # fmt: skip
    computes = _live(code, table, following, needed, set())
    unknown = _unknowable(table, following, instructions, fixed_stack)
    known = [unknown[i] & f.guard == 0 for i, f in enumerate(table)]
    with_guards = [n | (f.guard if k else 0) for n, f, k in zip(needed, table, known, strict=True)]
    computes = _live(code, table, following, with_guards, {i for i, c in enumerate(computes) if c})
    guarded = [k or bool(n & f.guard) or c for k, n, f, c in zip(known, needed, table, computes, strict=True)]
    loads = any(c and f.data & (1 << GLOBAL) for c, f in zip(computes, table, strict=True))
    return Slice(computes, guarded, loads)


def _unknowable(
    table: list[Facts], following: list[list[int]], instructions: tuple[Instruction, ...], fixed_stack: bool
) -> list[int]:
    """Per instruction, resources whose value may come from loaded data when it is reached (forward taint)."""
    count = len(table)
    tainted: list[int] = [0] * count
    changed = True
    spaces = _bits(GLOBAL, 1)
    memory = 0
    while changed:
        changed = False
        for i, fact in enumerate(table):
            inside = tainted[i] | spaces | memory
            dirty = bool((fact.data | fact.guard) & inside)
            out = tainted[i] & ~fact.kills
            if dirty:
                out |= fact.writes & ~_bits(SHARED, 2)
                grown = memory | fact.writes & _bits(SHARED, 2) & ~(1 << GLOBAL)
                changed |= grown != memory
                memory = grown
            for j in following[i]:
                if out | tainted[j] != tainted[j]:
                    tainted[j] |= out
                    changed = True
    return tainted
