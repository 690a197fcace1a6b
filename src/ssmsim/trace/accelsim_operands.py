"""What Accel-Sim's NVBit tracer lists of an instruction: one destination, base registers of the sources, an immediate.

The tracer goes over NVBit's operands in order and keeps vector registers alone: no uniform register, no predicate,
only the first register of a wide operand, RZ as R255. A register that is not the very first operand counts as a
source, so SHFL, whose first operand is a predicate, lists its destination among the sources and ISETP has none. Of a
memory reference it keeps the address register, 0 when there is only a uniform one. The immediate is the last one, as
NVBit's parser takes it: a number with a decimal point counts as 0, and a barrier register B0 reads as hexadecimal
0xb0. This is Accel-Sim's view of a dependence, faults included; to replay as the tracer's files do, a writer does the
same. Checked against real traces.
"""

import re
from dataclasses import dataclass

import numpy as np

from ssmsim.trace.types import Program

RZ = 255
MAX_SOURCES = 5

_REGISTER = re.compile(r"^[-~!|]*R(\d+|Z)(\.[A-Za-z0-9_.]+)?\|?$")
_MEMORY = re.compile(r"(?:^|\])\[([^\]]*)\]$")
_INTEGER = re.compile(r"^-?(0x[0-9a-f]+|\d+)$")
_BARRIER_REGISTER = re.compile(r"^B(\d+)$")


@dataclass(frozen=True)
class Listed:
    """One instruction as a trace line shows it. destination -1: none. width: bytes per lane, 0: no memory operand."""

    opcode: str
    destination: int
    sources: tuple[int, ...]
    width: int
    immediate: int


def listed(opcode: str, operands: str) -> Listed:
    """From nvdisasm's opcode ("LDG.E.128") and operands ("R24,desc[UR16][R38.64]")."""
    destination = -1
    sources: list[int] = []
    memory = False
    immediate = 0
    for place, operand in enumerate(text.strip() for text in operands.split(",") if text.strip()):
        reference = _address_register(operand)
        if reference is not None:
            memory = True
            sources.append(reference)
        elif match := _REGISTER.match(operand):
            number = RZ if match[1] == "Z" else int(match[1])
            if place == 0:
                destination = number
            else:
                sources.append(number)
        elif _INTEGER.match(operand):
            immediate = int(operand, 0)
        elif match := _BARRIER_REGISTER.match(operand):
            immediate = int(f"b{match[1]}", 16)
    immediate = (immediate + (1 << 31)) % (1 << 32) - (1 << 31)  # printed as a 32-bit integer
    return Listed(opcode, destination, tuple(sources[:MAX_SOURCES]), width(opcode) if memory else 0, immediate)


def _address_register(operand: str) -> int | None:
    """Base register of a memory reference, None when the operand is none (constants and gdesc are none)."""
    if operand.startswith(("c[", "-c[", "|c[", "cx[", "gdesc[")) or "[" not in operand:
        return None
    match = _MEMORY.search(operand)
    if match is None:
        return None
    first = re.match(r"R(\d+|Z)", match[1])
    if first is None:
        return 0  # [UR4]: NVBit's field for the absent register
    return RZ if first[1] == "Z" else int(first[1])


def width(opcode: str) -> int:
    """Bytes per lane as both tracer and simulator derive them: the first token that is a number of bits, else 4."""
    for token in opcode.split("."):
        bits = token[1:] if token[:1] == "U" else token
        if bits.isdigit():
            return int(bits) // 8
    return 4


def listed_instructions(program: Program) -> list[Listed]:
    """One entry per static instruction of a program, read from its disassembly."""
    names = [program.opcodes[i] for i in program.instructions["opcode"]]
    return [
        listed(name, text.partition(name)[2].strip().rstrip(";").strip())
        for name, text in zip(names, program.text, strict=True)
    ]


@dataclass(frozen=True)
class LineTable:
    """Static instructions as a writer needs them.

    pieces: uint8, all text pieces one after another; bounds: int64[I, 4], instruction i has the piece before its mask
    at bounds[i, 0:2], the one after it at bounds[i, 1:3] and the one after its addresses at bounds[i, 2:4].
    has_memory: bool[I].
    """

    pieces: np.ndarray
    bounds: np.ndarray
    has_memory: np.ndarray


def line_table(pcs: np.ndarray, instructions: list[Listed]) -> LineTable:
    """Text pieces of instructions at the byte offsets `pcs`."""
    pieces: list[bytes] = []
    for pc, item in zip(pcs, instructions, strict=True):
        registers = "0 " if item.destination < 0 else f"1 R{item.destination} "
        sources = "".join(f"R{number} " for number in item.sources)
        pieces.append(f"{int(pc):04x} ".encode())
        pieces.append(f" {registers}{item.opcode} {len(item.sources)} {sources}{item.width} ".encode())
        pieces.append(f"{item.immediate} \n".encode())
    ends = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])]).astype(np.int64)
    bounds = np.stack([ends[0:-1:3], ends[1::3], ends[2::3], ends[3::3]], axis=1)
    return LineTable(
        np.frombuffer(b"".join(pieces), np.uint8), bounds, np.array([item.width > 0 for item in instructions])
    )
