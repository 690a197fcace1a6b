"""One decoded instruction of a kernel."""

from dataclasses import dataclass
from functools import cached_property

from ssmsim.sass.opcodes import Mods, Opcode
from ssmsim.sass.operands import TIME_REGISTERS, Operand


def short(name: str) -> str:
    """A kernel's mangled name, cut where it would fill the line."""
    return name if len(name) <= 60 else name[:57] + "..."


@dataclass(frozen=True)
class Instruction:
    """One static instruction.

    index: place in the kernel (pc = 16 * index). opcode: full name; base and mods: its parts. entry: its row of the
    table.
    guard: predicate that must hold (kind P or UP, `invert` for @!P), None when unguarded.
    target: index of the instruction that a direct branch, call, BSSY or WARPSYNC.COLLECTIVE names, -1 when none.
    offset: for indirect branches, what the target register is added to (bytes from the kernel's start).
    """

    index: int
    text: str
    opcode: str
    base: str
    mods: Mods
    entry: Opcode
    guard: Operand | None
    destinations: tuple[Operand | None, ...]
    sources: tuple[Operand | None, ...]
    immediate: int
    target: int = -1
    offset: int = 0
    kernel: str = ""

    @property
    def pc(self) -> int:
        return 16 * self.index

    @property
    def where(self) -> str:
        """Kernel, PC and text, for messages."""
        return f"{short(self.kernel)} {self.place}"

    @property
    def place(self) -> str:
        """PC and text."""
        return f"PC {self.pc:#06x} {self.text}"

    def has(self, modifier: str) -> bool:
        return modifier in self.mods

    @cached_property
    def reads_time(self) -> bool:
        """Does it read a clock, or where its block runs?"""
        return any(s is not None and s.kind == "sreg" and s.text in TIME_REGISTERS for s in self.sources)

    @cached_property
    def wants(self) -> tuple[bool, ...]:
        """Per destination of the signature: is it kept (present, and not RZ, URZ, PT)?"""
        return tuple(d is not None and not d.is_zero and not d.is_true for d in self.destinations)

    @cached_property
    def selectors(self) -> tuple[str, ...]:
        """Per source: what follows the register (R2.B1 -> "B1")."""
        return tuple("" if s is None else s.suffix for s in self.sources)
