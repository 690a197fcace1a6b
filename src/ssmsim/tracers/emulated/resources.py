"""What each instruction reads and writes, as bits of one integer, and which instruction may follow which.

Resources: halves of R0-254 (16-bit data are packed and stored by halves, beside stale ones), UR, P, UP, words of the
stack (where its frame offsets are known at decode time), shared and global memory, and all that a launch may leave open
(clocks, constants that the driver or the host fills).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ssmsim.sass.opcodes import WARPGROUP_PRODUCTS, Access, Control, Space
from ssmsim.sass.operands import PT, RZ, URZ, Operand
from ssmsim.sass.records import access_bytes, predicate_set, registers, uniforms
from ssmsim.tracers.emulated.calls import of_the_driver
from ssmsim.tracers.emulated.hardware import bank0_unfilled, unfixed

if TYPE_CHECKING:
    from ssmsim.sass.decode import Code
    from ssmsim.sass.instruction import Instruction

UR, P, UP, SHARED, GLOBAL, UNFIXED = 512, 576, 584, 592, 593, 594
STACK = 596  # one bit per word below the frame's top
STACK_WORDS = 4096
STACK_REGISTER = 1
Condition = tuple[int, bool] | None


def bit_range(first: int, count: int) -> int:
    return ((1 << count) - 1) << first


def operand_bits(operand: Operand | None) -> int:
    """Resources that an operand names (its address registers, for memory)."""
    if operand is None:
        return 0
    bits = 0
    if (operand.kind == "R" and operand.index != RZ) or operand.kind in ("mem", "const"):
        first, count = registers(operand)
        bits |= bit_range(2 * first, 2 * count) if first >= 0 else 0
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
    """Of one instruction.

    writes: what it may change. kills: what it changes wholly, in lanes where its guard holds. data: what its result
    needs.
    record: what its trace record needs (address, target). guard: its guard. condition: (resource bit, value) under
    which it executes, None when unguarded. parts: (written, data it needs) where parts of the result need less than
    all.
    """

    writes: int
    data: int
    record: int
    guard: int
    kills: int
    condition: Condition
    parts: tuple[tuple[int, int], ...] = ()

    def needs(self, touched: int) -> int:
        """Data that the wanted ones of its results need."""
        if not self.parts:
            return self.data
        needed = 0
        for written, data in self.parts:
            needed |= data if written & touched else 0
        return needed


def _halves(operand: Operand | None, low: bool, high: bool) -> int:
    """The wanted halves of a single general register; all of any other operand."""
    bits = operand_bits(operand)
    if operand is None or operand.kind != "R" or operand.count != 1 or not bits:
        return bits if low or high else 0
    return 1 << 2 * operand.index & -low | 2 << 2 * operand.index & -high


def _source_bits(ins: Instruction, k: int, operand: Operand | None) -> int:
    """Resources of source k, without the half of a register that cannot matter."""
    if operand is None or operand.kind != "R":
        return operand_bits(operand)
    texts = [s.text if s is not None else "" for s in ins.sources]
    doubled = ins.base in ("IMAD", "UIMAD") and not ins.has("HI") and not ins.has("WIDE") and "0x10000" in texts[:2]
    left = ins.base == "SHF" and ins.has("L") and texts[1] == "0x10" and not ins.has("HI")
    right = ins.base == "SHF" and ins.has("R") and ins.has("HI") and texts[1] == "0x10" and texts[0] in ("RZ", "")
    if (doubled and k < 2) or (left and k == 0):
        return _halves(operand, True, False)
    if right and k == 2:
        return _halves(operand, False, True)
    if operand.suffix in ("H0_H0", "H1_H1"):
        return _halves(operand, operand.suffix == "H0_H0", operand.suffix == "H1_H1")
    if ins.entry.access == Access.STORE and access_bytes(ins) <= 2:
        return _halves(operand, True, False)
    return operand_bits(operand)


def _permuted(ins: Instruction) -> tuple[tuple[int, int], ...]:
    """PRMT with a constant selector: which halves of its sources each half of the result comes from."""
    first, selector, second = ins.sources
    destination = ins.destinations[0]
    if ins.base != "PRMT" or selector is None or selector.kind != "imm" or ins.mods or destination is None:
        return ()
    parts = []
    for half in (0, 1):
        data = 0
        for nibble in (selector.value >> 8 * half & 7, selector.value >> 8 * half + 4 & 7):
            data |= _halves(first if nibble < 4 else second, nibble & 2 == 0, nibble & 2 != 0)
        parts.append((_halves(destination, half == 0, half == 1), data))
    return tuple(parts)


def _served(ins: Instruction, writes: int, reads: int) -> tuple[tuple[int, int], ...]:
    """Atomics whose predicate or success depends on the address alone (see atomics.py): what each result needs."""
    address, result = operand_bits(ins.sources[0]), 0
    for operand in ins.destinations:
        if operand is not None and (operand.kind in ("P", "UP") or ins.has("CAST")):
            result |= operand_bits(operand)
    return ((result, address), (writes & ~result, reads)) if result else ()


def _stack_words(ins: Instruction) -> int | None:
    """Bits of the stack words a local access touches; None when its address is not R1 plus a constant."""
    operand = next(s for s in ins.sources if s is not None and s.kind == "mem")
    if operand.base != STACK_REGISTER or operand.uniform >= 0 or operand.scale != 1 or operand.value < 0:
        return None
    first, last = operand.value // 4, (operand.value + access_bytes(ins) - 1) // 4
    if last >= STACK_WORDS:
        return None
    return bit_range(STACK + first, last - first + 1)


def facts(ins: Instruction, fixed_stack: bool) -> Facts:
    """Resources of one instruction."""
    entry, access = ins.entry, ins.entry.access
    writes = 0
    for operand in ins.destinations:
        writes |= operand_bits(operand)
    writes |= _predicate_bits(predicate_set(ins, (), written=True))
    kills = writes
    if ins.base == "R2UR" and ins.has("OR") and ins.destinations[0] is not None:
        kills &= ~operand_bits(ins.destinations[0])
    guard = operand_bits(ins.guard)
    sources = [_source_bits(ins, k, s) for k, s in enumerate(ins.sources)]
    reads = _predicate_bits(predicate_set(ins, (), written=False))
    for bits in sources:
        reads |= bits
    record = 0
    if access != Access.NONE and entry.space != Space.CONSTANT:
        for operand, bits in zip(ins.sources, sources, strict=True):
            if operand is not None and (
                operand.kind == "mem" or (access == Access.COPY and operand.kind in ("P", "UP"))
            ):
                record |= bits
    if access in (Access.MBARRIER, Access.BULK):
        record |= reads
    if ins.base in WARPGROUP_PRODUCTS:
        for operand in ins.sources:
            record |= operand_bits(operand) if operand is not None and operand.kind == "gdesc" else 0
    if entry.control not in (Control.NONE, Control.BMOV) or ins.base == "BMOV":
        record |= reads
    memory_read, memory_written = _memory(ins, fixed_stack)
    reads |= memory_read | (1 << UNFIXED if any(map(_unfixed, ins.sources)) else 0)
    writes |= memory_written
    if entry.space == Space.LOCAL and fixed_stack and _stack_words(ins) is not None:
        kills |= memory_written
    condition = (guard, not ins.guard.invert) if ins.guard is not None and guard else None
    parts = _permuted(ins) if ins.base == "PRMT" else _served(ins, writes, reads) if access == Access.ATOMIC else ()
    return Facts(writes, reads, record, guard, kills, condition, parts)


def publishes(ins: Instruction) -> bool:
    """May it write a tensor map to where copies find it (tensormap.cp_fenceproxy): an exchange whose result nobody reads?"""
    return ins.base == "ATOMG" and ins.has("EXCH") and not any(ins.wants)


def bulk_stores(ins: Instruction) -> bool:
    """Does it copy bytes from shared to global memory as they are?"""
    return ins.base == "UBLKCP" and ins.mods.order[:2] == ("G", "S")


def descriptors_change(code: Code) -> bool:
    """Does the kernel write tensor maps, so that copies must be told to look again?"""
    return any(i.base == "UTMACCTL" and i.has("IV") for i in code.instructions)


def _unfixed(operand: Operand | None) -> bool:
    """May a launch leave this source's value open?"""
    if operand is None or operand.kind not in ("const", "sreg"):
        return False
    if operand.kind == "sreg":
        return bool(unfixed(operand.text))
    if operand.index == 0:
        return operand.base >= 0 or operand.uniform >= 0 or bank0_unfilled(operand.value)
    return operand.index == 3


def _memory(ins: Instruction, fixed_stack: bool) -> tuple[int, int]:
    """(resources read, resources written) in memory, as far as another instruction's value may pass through them."""
    access, space = ins.entry.access, ins.entry.space
    if ins.base in WARPGROUP_PRODUCTS:
        return 1 << SHARED, 0
    if access == Access.NONE or space == Space.CONSTANT:
        return 0, 0
    if access in (Access.COPY, Access.BULK):
        return _copied(ins)
    if access == Access.MBARRIER:  # its words are carried out in any case
        return 0, 0
    if access == Access.REMOTE:
        return (1 << SHARED if ins.base == "REDAS" else 0), 1 << SHARED
    if space == Space.LOCAL:
        words = _stack_words(ins) if fixed_stack else None
        bits = bit_range(STACK, STACK_WORDS) if words is None else words
    elif space == Space.GENERIC:
        bits = 1 << SHARED | 1 << GLOBAL | bit_range(STACK, STACK_WORDS)
    else:
        bits = 1 << (SHARED if space == Space.SHARED else GLOBAL)
    if access == Access.LOAD:
        return bits, 0
    return (bits, bits) if access == Access.ATOMIC else (0, bits)


def _copied(ins: Instruction) -> tuple[int, int]:
    """As `_memory`, of copies of many bytes."""
    if ins.base in ("UTMAPF", "UBLKPF"):
        return 0, 0
    if ins.base in ("UTMASTG", "UTMAREDG") or ins.mods.order[:2] == ("G", "S"):
        return 1 << SHARED, 1 << GLOBAL
    if ins.mods.order[:2] == ("S", "S"):
        return 1 << SHARED, 1 << SHARED
    return 1 << GLOBAL, 1 << SHARED


def successors(code: Code) -> list[list[tuple[int, Condition]]]:
    """Per instruction: what may execute next, and under which condition on the branch's guard.

    Indirect branches may go to any leader, returns behind any call. Calls of the driver's functions go nowhere.
    """
    instructions, ends = code.instructions, of_the_driver(code)
    last = len(instructions) - 1
    after_calls = [i.index + 1 for i in instructions if i.entry.control == Control.CALL and i.index < last]
    leaders = sorted({i.target for i in instructions if i.target >= 0}
                     | {i.index + 1 for i in instructions if i.entry.control in (Control.BRANCH, Control.INDIRECT)
                        and i.index < last} | {v // 16 for v in code.kernel.symbols.values()})  # fmt: skip
    following: list[list[tuple[int, Condition]]] = []
    for ins in instructions:
        control, next_ = ins.entry.control, [ins.index + 1] if ins.index < last else []
        also = any(s is not None and s.kind in ("P", "UP", "UR") for s in ins.sources)
        bits = operand_bits(ins.guard)
        goes: Condition = (bits, not ins.guard.invert) if ins.guard is not None and bits else None
        stays: Condition = (goes[0], not goes[1]) if goes is not None and not also else None
        targets = [ins.target] if ins.target >= 0 else leaders
        if control == Control.RETURN:
            targets = after_calls
        if ins.index in ends:
            targets = []
        if control in (Control.BRANCH, Control.CALL, Control.INDIRECT, Control.RETURN):
            found = [(t, goes) for t in targets] + [(n, stays) for n in next_ if ins.guard is not None or also]
        elif control == Control.EXIT:
            found = [(n, stays) for n in next_ if ins.guard is not None or also]
        elif control == Control.WARPSYNC and ins.target >= 0:
            found = [(t, None) for t in (ins.target, *next_)]
        else:
            found = [(n, None) for n in next_]
        following.append(found)
    return following
