"""Calls of functions that only the driver has (a failed assertion, vprintf, malloc): they are refused where they execute,
so no value gets past them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ssmsim.sass.opcodes import Control

if TYPE_CHECKING:
    from ssmsim.sass.decode import Code
    from ssmsim.sass.instruction import Instruction
    from ssmsim.sass.operands import Operand

ADDRESSES = 4  # the constant bank of addresses that the driver fills in
MOVES = ("MOV", "UMOV", "LDC", "ULDC", "IMAD")
Place = tuple[str, int]  # ("imm", value) or ("bank", offset in ADDRESSES)


def of_the_driver(code: Code) -> frozenset[int]:
    """Instructions that call one, as far as straight code before the call tells."""
    at = {r.offset for r in code.kernel.relocations
          if r.section == f"bank{ADDRESSES}" and r.symbol in code.kernel.externals}  # fmt: skip
    if not at:
        return frozenset()
    targets = {i.target for i in code.instructions if i.target >= 0}
    found = set()
    for ins in code.instructions:
        if ins.entry.control == Control.CALL and ins.target < 0:
            register = next((s for s in ins.sources if s is not None and s.kind == "R"), None)
            place = _value(code, ins.index, register, targets)
            if place is not None and place[0] == "bank" and place[1] in at:
                found.add(ins.index)
    return frozenset(found)


def _value(code: Code, before: int, register: Operand | None, targets: set[int]) -> Place | None:
    """What a register holds in front of an instruction, when straight code before it says so."""
    i = before
    while register is not None and i > 0 and i not in targets:
        i -= 1
        ins = code.instructions[i]
        if ins.entry.control != Control.NONE:
            return None
        if any(_covers(d, register) for d in ins.destinations):
            return _moved(code, ins, targets) if ins.guard is None and ins.destinations[0] is not None else None
    return None


def _covers(written: Operand | None, register: Operand) -> bool:
    return written is not None and written.kind == register.kind and 0 <= register.index - written.index < written.count


def _moved(code: Code, ins: Instruction, targets: set[int]) -> Place | None:
    """What a move or a load of a constant gives."""
    if ins.base not in MOVES or (ins.base == "IMAD" and not ins.has("MOV")):
        return None
    source = ins.sources[-1] if ins.base == "IMAD" else ins.sources[0]
    if source is None:
        return None
    if source.kind == "imm":
        return "imm", source.value
    if source.is_zero:
        return "imm", 0
    if source.kind in ("R", "UR"):
        return _value(code, ins.index, source, targets)
    if source.kind != "const" or source.index != ADDRESSES or source.uniform >= 0:
        return None
    if source.base < 0:
        return "bank", source.value
    offset = _value(code, ins.index, replace(source, kind="R", index=source.base, count=1), targets)
    return ("bank", source.value + offset[1]) if offset is not None and offset[0] == "imm" else None
