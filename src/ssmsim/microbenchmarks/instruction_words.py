"""Straight-line sequences of instructions, written down by register banks, as 128-bit words of sm_90 machine code.

    ffma("eeo")                      FFMA.FTZ RZ, R4, R6, R5      two sources in even registers, one in an odd one
    place([ffma("eeo")], range(4, 100)) -> [Placed(...)];  word(Placed) -> the number that stands in the cubin

Fields: opcode 0, predicate 12, destination 16, sources 24, 32, 64, stall count 105, no yield 109, scoreboards 110 and
113 (7: none), those waited for 116, reuse 122. nvdisasm reads them back: tests/units/test_instruction_words.py.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

RZ = 255
DESTINATION, SOURCES = 16, (24, 32, 64)
STALL, NO_YIELD, SETS, WAITS, REUSE = 105, 109, 110, 116, 122
NO_COUNTER = 7
RECENT = 48  # registers that are not chosen again at once
CONTROL = 7 << 12 | NO_COUNTER << 113  # predicate PT, no counter for its sources
MOVE, MULTIPLY = 0x78E00 << 72, 0x78E02 << 72  # predicates PT; .MOV.U32 and signed
# name: word without operands and control, fields of the sources given
ENCODINGS: dict[str, tuple[int, tuple[int, ...]]] = {
    "NOP": (0x918, ()),
    "CS2R.32": (0x805 | 0x50 << 72, ()),  # SR_CLOCKLO
    "FFMA.FTZ": (0x223 | 1 << 80, SOURCES),
    "FMUL": (0x220 | 1 << 86, SOURCES[:2]),
    "FADD": (0x221, SOURCES[:2]),
    "IMAD.MOV.U32": (0x424 | RZ << 24 | 2 << 32 | RZ << 64 | MOVE, ()),  # of the constant 2
    "IMAD": (0x224 | MULTIPLY, SOURCES),
    "IMAD.WIDE": (0x225 | MULTIPLY, SOURCES),
    "LOP3.LUT": (0x212 | RZ << 64 | 0x78EC0 << 72, SOURCES[:2]),
    "MUFU.EX2": (0x308 | 8 << 72, SOURCES[1:2]),
    "HMMA.16816.F32.BF16": (0x23C | 0x418 << 72, SOURCES),
}
CONSTANTS = {
    "CS2R.32": ["SR_CLOCKLO"],
    "IMAD.MOV.U32": ["RZ", "RZ", "0x2"],
    "LOP3.LUT": ["RZ", "0xc0", "!PT"],
}
WIDTHS = {"IMAD.WIDE": (2, 1, 1, 2), "HMMA.16816.F32.BF16": (4, 4, 2, 4)}  # registers of destination and sources


@dataclass(frozen=True)
class Step:
    """An instruction whose registers are wishes, destination first.

    e, o: another even or odd register each time; z: RZ; a capital letter and e, o ("Ae"): the same register wherever it
    stands in the sequence. For operands of several registers, e is the first of an aligned group. sets: dependency counter
    that its result releases; waits: those that it waits for.
    """

    name: str
    registers: tuple[str, ...] = ()
    stall: int = 1
    reuse: int = 0
    yields: bool = False
    sets: int = NO_COUNTER
    waits: tuple[int, ...] = ()


@dataclass(frozen=True)
class Placed:
    """A step with its registers chosen: first register of destination and sources, and how many each has."""

    step: Step
    registers: tuple[int, ...]
    widths: tuple[int, ...]

    @property
    def text(self) -> str:
        """As nvdisasm writes it."""
        names = ["RZ" if r == RZ else f"R{r}" for r in self.registers]
        for slot in range(1, len(names)):
            if self.step.reuse >> slot - 1 & 1:
                names[slot] += ".reuse"
        return f"{self.step.name} {', '.join(names + CONSTANTS.get(self.step.name, []))}".strip()


def ffma(sources: str, stall: int = 1, yields: bool = False) -> Step:
    return Step("FFMA.FTZ", ("z", *sources), stall, yields=yields)


def fmul(sources: str | tuple[str, ...], stall: int = 1, reuse: int = 0) -> Step:
    return Step("FMUL", ("z", *sources), stall, reuse)


NOP = Step("NOP")


def stalling(step: Step, stall: int) -> Step:
    return replace(step, stall=stall)


def place(steps: Iterable[Step], registers: Sequence[int]) -> list[Placed]:
    """Choose registers among those given, none that one of the last few steps names; raises RuntimeError without any."""
    free, kept = set(registers), dict[str, int]()
    recent: deque[int] = deque(maxlen=RECENT)
    reserved: set[int] = set()

    def take(wish: str, width: int) -> int:
        if wish == "z":
            return RZ
        if wish in kept:
            return kept[wish]
        for register in sorted(free, key=lambda r: (r <= (recent[-1] if recent else 0), r)):
            group = set(range(register, register + width))
            if register % 2 == (wish[-1] == "o") and (width == 1 or register % width == 0) and group <= free - reserved:
                if group.isdisjoint(recent):
                    break
        else:
            raise RuntimeError(f"{len(free)} registers to choose from are too few")
        if len(wish) > 1:
            kept[wish] = register
            reserved.update(group)
        recent.extend(group)
        return register

    placed = []
    for step in steps:
        widths = WIDTHS.get(step.name, (1,) * len(step.registers))
        chosen = tuple(take(wish, width) for wish, width in zip(step.registers, widths, strict=True))
        placed.append(Placed(step, chosen, widths))
    return placed


def word(placed: Placed) -> int:
    """The machine word. Without NO_YIELD a stall count of 1 acts as 2 (microbenchmark sm/issue_timing: yield)."""
    step = placed.step
    value, fields = ENCODINGS[step.name]
    value |= CONTROL | step.stall << STALL | (not step.yields) << NO_YIELD | step.sets << SETS | step.reuse << REUSE
    value |= sum(1 << WAITS + counter for counter in step.waits)
    for register, bit in zip(placed.registers, (DESTINATION, *fields), strict=False):
        value |= register << bit
    return value


def clock(register: int, stall: int) -> int:
    """CS2R.32 Rregister, SR_CLOCKLO."""
    return word(Placed(Step("CS2R.32", ("e",), stall), (register,), (1,)))
