"""The text of one instruction to operands: registers, immediates, constants, addresses."""

import re
from dataclasses import dataclass, replace
from typing import Any

from ssmsim.errors import SsmsimError
from ssmsim.sass.opcodes import SUPPORTED

RZ, URZ, PT = 255, 63, 7


@dataclass(frozen=True)
class Operand:
    """One operand.

    kind:   R, UR, P, UP, imm, const, mem, sreg, label, bar, gdesc, policy or text.
    index:  register, predicate, barrier or constant-bank number.
    value:  immediate (two's complement as written), or byte offset of const and mem.
    type:   type of the signature ("i32", "f64", "r4", "p", ...), count: its 32-bit registers.
    base:   address register of const and mem (-1: none); wide: 64-bit; scale: its multiplier.
    uniform: uniform address register (-1: none); descriptor: the UR of desc[...] (-1: none).
    """

    kind: str
    index: int = -1
    value: int = 0
    negate: bool = False
    absolute: bool = False
    invert: bool = False
    suffix: str = ""
    type: str = ""
    count: int = 1
    base: int = -1
    wide: bool = False
    scale: int = 1
    uniform: int = -1
    uniform_wide: bool = False
    descriptor: int = -1
    text: str = ""

    @property
    def is_zero(self) -> bool:
        """RZ or URZ."""
        return (self.kind == "R" and self.index == RZ) or (self.kind == "UR" and self.index == URZ)

    @property
    def is_true(self) -> bool:
        """PT or UPT, negated or not."""
        return self.kind in ("P", "UP") and self.index == PT


# Special registers that hold the time, or where a block runs.
TIME_REGISTERS = frozenset(
    ["SR_CLOCKLO", "SR_CLOCKHI", "SR_GLOBALTIMERLO", "SR_GLOBALTIMERHI", "SR_VIRTUALSMID", "SR_SMID"]
)
REGISTER = re.compile(r"^(UR|UP|R|P|B|SB)(\d+|Z|T)$")
ADDRESS = re.compile(r"^(?:desc\[(UR\d+|URZ)\])?(?:\[(.*)\])$")
CONSTANT = re.compile(r"^cx?\[(0x[0-9a-f]+|UR\d+|URZ)\]\[([^\]]*)\](?:\.(.*))?$")
POLICY = re.compile(r"^desc\[UR(\d+|Z)\]$")
NUMBER = re.compile(r"^[+-]?(0x[0-9a-f]+|\d+)$")
FLOAT = re.compile(r"^[+-]?(\d+\.?\d*(e[+-]?\d+)?|INF|[QS]?NAN)$", re.IGNORECASE)


def _address(text: str, where: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in re.findall(r"-?[^+-]+", text):
        name, *suffixes = part.strip().lstrip("+").split(".")
        if NUMBER.match(name):
            found["value"] = int(found.get("value", 0)) + int(name, 0)
            continue
        register = REGISTER.match(name)
        if not register or register[1] not in ("R", "UR"):
            raise SsmsimError(f"address {text!r} is not understood", where, SUPPORTED)
        number = -1 if register[2] == "Z" else int(register[2])
        if register[1] == "UR":
            found["uniform"], found["uniform_wide"] = number, "64" in suffixes
        else:
            found["base"], found["wide"] = number, "64" in suffixes
            if "U32" in suffixes:
                found["uniform_wide"] = True
        for suffix in suffixes:
            if suffix.startswith("X"):
                found["scale"] = int(suffix[1:])
    if (
        found.get("wide") and "uniform" in found
    ):  # [R4.64+UR4]: the address of an object and a place in it, both 64 bits
        found["uniform_wide"] = True
    return found


def parse(text: str, where: str = "") -> Operand:
    """One operand of the disassembly. Raises SsmsimError naming `where` when it is not understood."""
    body = text = text.strip()
    flags: dict[str, Any] = {"negate": False, "absolute": False, "invert": False}
    if body[:1] in ("!", "~"):
        flags["invert"], body = True, body[1:]
    if body[:1] == "-" and not NUMBER.match(body) and not FLOAT.match(body):
        flags["negate"], body = True, body[1:]
    if body.startswith("|"):
        inner = body[1:].split("|")
        flags["absolute"], body = True, inner[0] + "".join(inner[1:])
    if NUMBER.match(body):
        return Operand("imm", value=int(body, 0), text=text, **flags)
    if FLOAT.match(body):
        return Operand("imm", text=text, **flags)
    constant = CONSTANT.match(body)
    if constant:
        inside = _address(constant[2], where)
        bank = constant[1]
        if bank.startswith("UR"):
            raise SsmsimError(f"{text} is of a constant bank that a register names", where, SUPPORTED)
        return Operand("const", int(bank, 0), suffix=constant[3] or "", text=text, **flags, **inside)
    if body.startswith("gdesc["):
        name, _, suffix = body[6:].partition("]")
        return Operand("gdesc", URZ if name == "URZ" else int(name[2:]), suffix=suffix.lstrip("."), text=text)
    policy = POLICY.match(body)
    if policy:
        return Operand("policy", URZ if policy[1] == "Z" else int(policy[1]), text=text)
    address = ADDRESS.match(body)
    if address:
        inside = _address(address[2], where)
        if address[1] and address[1] != "URZ":
            inside["descriptor"] = int(address[1][2:])
        return Operand("mem", text=text, **inside)
    name, _, suffix = body.partition(".")
    suffix = ".".join(part for part in suffix.split(".") if part != "reuse")
    register = REGISTER.match(name)
    if register:
        kind = {"B": "bar", "SB": "text"}.get(register[1], register[1])
        zero = {"R": RZ, "UR": URZ, "P": PT, "UP": PT}.get(kind, 0)
        index = zero if register[2] in ("Z", "T") else int(register[2])
        return Operand(kind, index, suffix=suffix, text=text, **flags)
    if name.startswith("SR"):
        return Operand("sreg", text=body)
    return Operand("text", text=text)


WIDTH = {"i64": 2, "f64": 2, "b64": 2, "reg64": 2, "policy": 2}


def width(kind: str) -> int:
    """32-bit registers of a signature's type."""
    if kind in WIDTH:
        return WIDTH[kind]
    return int(kind[1:]) if kind[0] in "ru" and kind[1:].isdigit() else 1


def _fits(kind: str, operand: Operand) -> bool:
    if kind == "p":
        return operand.kind in ("P", "UP")
    if kind in ("mem", "sreg", "gdesc", "bar", "const", "imm", "policy"):
        return operand.kind == kind
    if kind[0] == "u" and kind[1:].isdigit():
        return operand.kind == "mem" and operand.base < 0 and operand.uniform >= 0
    if kind in ("reg", "reg64"):
        return operand.kind in ("R", "UR")
    if kind == "label":
        return operand.kind in ("imm", "text")
    return kind == "any" or operand.kind in ("R", "UR", "imm", "const")


def match(
    operands: list[Operand], destinations: list[str], sources: list[str], where: str
) -> tuple[list[Operand | None], list[Operand | None]]:
    """Give every operand its type from the signature; absent optional ones are None.

    Raises SsmsimError when the text does not fit the signature.
    """
    queue = list(operands)
    result: list[Operand | None] = []
    for token in destinations + sources:
        kind = token.rstrip("?")
        if queue and _fits(kind, queue[0]):
            operand = queue.pop(0)
            if kind == "f16x2" and operand.kind == "imm" and queue and queue[0].kind == "imm":
                queue.pop(0)  # two halves of one 32-bit immediate
            if kind[0] == "u":  # [UR8] stands for UR8 and those behind it
                operand = Operand("UR", operand.uniform, text=operand.text)
            result.append(replace(operand, type=kind, count=width(kind)))
        elif token.endswith("?"):
            result.append(None)
        else:
            raise SsmsimError(f"operands do not fit the signature at {token!r}", where, SUPPORTED)
    if queue:
        raise SsmsimError(f"operand {queue[0].text!r} is not in the signature", where, SUPPORTED)
    return result[: len(destinations)], result[len(destinations) :]
