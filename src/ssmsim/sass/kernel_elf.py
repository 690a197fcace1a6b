"""The ELF side of a cubin: a kernel's machine words and all that its code may call, its constants, module variables and
resources.

A device-linked kernel (nvcc -rdc=true) calls functions of other sections. Their code is laid behind the kernel's, in the
order of the file, and relocations are resolved against that place as the driver does.
"""

import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from ssmsim.elf_attributes import PARAM_CBANK, REGCOUNT, attributes, parameter_slots, refuse_unlinked
from ssmsim.errors import SsmsimError

# Attribute codes of .nv.info sections, as `cuobjdump -elf` names them (EIATTR_...).
FRAME_SIZE, MIN_STACK_SIZE, MAX_STACK_SIZE = 0x11, 0x12, 0x23
UNBOUNDED = 0xFFFFFFFF  # a stack size that the compiler does not know
OTHER, ENTRY = 5, 0x10  # st_other: its byte in a symbol's 24, and the bit that kernels have
LOW_HALF, HIGH_HALF, CALL_TARGET, ADDRESS, ADDRESS_OF_DATA = 0x38, 0x39, 0x4B, 2, 4  # R_CUDA types
VARIABLE_SECTIONS = {".nv.constant3": "constant", ".nv.global.init": "device", ".nv.global": "device"}


@dataclass(frozen=True)
class ModuleVariable:
    """A __constant__ (kind "constant") or __device__ variable ("device") of the module, or data of the compiler's own.

    place: byte offset in its section. size: bytes. initial: what the cubin puts there, zeros where it has no bytes.
    """

    name: str
    kind: str
    section: str
    place: int
    size: int
    initial: bytes


@dataclass(frozen=True)
class Relocation:
    """A field that the driver fills when it loads the module: `section` and byte offset, R_CUDA type, symbol + addend.

    section: "text" (offset in the linked code), "bank2", "bank3", "bank4" or the name of a variables' section.
    """

    section: str
    offset: int
    kind: int
    symbol: str
    addend: int


@dataclass(frozen=True)
class Kernel:
    """What the ELF says of one kernel.

    words:      uint64[instructions, 2], low half first; functions of other sections behind the kernel's own.
    constants:  bytes per constant bank, bank 0 with parameters still zero.
    symbols:    offsets in the code of the functions that it may call.
    parameters: (offset in the parameter buffer, bytes) in order; parameter_base: its place in bank 0.
    local_bytes: stack of one thread. static_shared: bytes, the driver's first KB of them included.
    externals:  functions that only the driver has (vprintf, malloc).
    """

    name: str
    words: np.ndarray
    constants: dict[int, bytes]
    symbols: dict[str, int]
    parameters: tuple[tuple[int, int], ...]
    parameter_base: int
    parameter_bytes: int
    registers: int
    local_bytes: int
    static_shared: int
    variables: tuple[ModuleVariable, ...] = ()
    relocations: tuple[Relocation, ...] = ()
    externals: tuple[str, ...] = ()
    linked: bool = False
    grows_stack: bool = False  # by recursion or alloca: the compiler gives no bound


def link(
    words: np.ndarray, relocations: Iterable[Relocation], address: Callable[[Relocation], int], where: object
) -> np.ndarray:
    """The code with the fields filled in that relocations of "text" name; address: what each stands for.

    Types as seen in device-linked cubins of nvcc 13.0: the low or high half of an address as a 32-bit immediate, and
    the target of CALL.ABS in the field of branches (see control.branch_offset). SsmsimError for another one.
    """
    linked = words.copy()
    for each in relocations:
        if each.section != "text":
            continue
        row, value = each.offset // 16, address(each)
        if each.kind in (LOW_HALF, HIGH_HALF):
            half = value >> (32 if each.kind == HIGH_HALF else 0) & 0xFFFFFFFF
            linked[row, 0] = int(linked[row, 0]) & 0xFFFFFFFF | half << 32
        elif each.kind == CALL_TARGET:
            whole = int(linked[row, 0]) | int(linked[row, 1]) << 64
            whole |= (value // 4 & 0xFF) << 16 | value // 4 >> 8 << 34
            linked[row] = whole & (1 << 64) - 1, whole >> 64
        elif each.symbol.startswith(".nv.unified"):
            raise SsmsimError("it reads the driver's table of textures, which no launch records", where, "leave it out")
        else:
            what = f"relocation {each.kind:#x} of {each.symbol} at PC {each.offset & ~15:#06x} is not known"
            raise SsmsimError(what, where, "link the program without -rdc=true")
    return linked


@dataclass
class _Module:
    """A cubin taken apart: sections by name and in order, symbols, names of its kernels."""

    sections: dict[str, Any]
    order: list[Any]
    symbols: list[Any]
    kernels: frozenset[str]
    places: dict[str, int]  # byte offset of each text section in the linked code

    def relocations_of(self, name: str) -> Iterator[tuple[Any, Any]]:
        """(relocation, its symbol) of a section."""
        for prefix in (".rela", ".rel"):
            section = self.sections.get(prefix + name)
            for each in section.iter_relocations() if section is not None and section["sh_size"] else ():
                yield each, self.symbols[each["r_info_sym"]]

    def home(self, symbol: Any) -> str:
        """The name of the section that a symbol lies in, "" when undefined."""
        index = symbol["st_shndx"]
        return self.order[index].name if isinstance(index, int) and index < len(self.order) else ""


def read_kernel(data: bytes, name: str, where: Path | str) -> Kernel:
    """The kernel `name` of a cubin's bytes.

    Raises SsmsimError when it is no cubin, is cut short or not linked, or has no such kernel.
    """
    try:
        return _read(replace(_take_apart(data, where), places={}), name, where)
    except (
        ELFError,
        struct.error,
        ValueError,
        UnicodeDecodeError,
        AttributeError,
        KeyError,
        IndexError,
        TypeError,
        OverflowError,
    ) as error:
        raise SsmsimError(f"not a whole cubin ({error})", where, "give the cubin that the driver loaded") from None


@lru_cache(maxsize=2)  # a program's launches name the kernels of one cubin after another
def _take_apart(data: bytes, where: Path | str) -> _Module:
    elf = ELFFile(BytesIO(data))
    refuse_unlinked(elf, where)  # first: its sections of no bytes have types of their own
    order = list(elf.iter_sections())
    for section in order:
        if section["sh_type"] != "SHT_NOBITS" and section["sh_offset"] + section["sh_size"] > len(data):
            raise SsmsimError(f"cut short: section {section.name} ends behind the file", where, "copy it again")
    sections = {section.name: section for section in order}
    table: Any = sections.get(".symtab")
    symbols, raw = (list(table.iter_symbols()), table.data()) if table else ([], b"")
    kernels = frozenset(s.name for i, s in enumerate(symbols) if raw[24 * i + OTHER] & ENTRY)
    return _Module(sections, order, symbols, kernels, {})


def _link(module: _Module, name: str) -> bytes:
    """The kernel's code with that of all functions which it or a function pointer may call; notes their places."""
    texts = [s.name for s in module.order if s.name.startswith(".text.")]
    wanted, queue = [f".text.{name}"], [f".text.{name}", ".nv.constant4", ".nv.global.init"]
    while queue:
        for _, symbol in module.relocations_of(queue.pop()):
            home = module.home(symbol)
            if home.startswith(".text.") and home not in wanted and symbol.name not in module.kernels:
                wanted.append(home)
                queue.append(home)
    code = b""
    for text in [wanted[0], *(t for t in texts if t in wanted[1:])]:
        module.places[text] = len(code)
        code += module.sections[text].data()
    return code


def _read(module: _Module, name: str, where: Path | str) -> Kernel:
    sections, symbols = module.sections, module.symbols
    kernels = sorted(s.removeprefix(".text.") for s in sections if s.startswith(".text."))
    if name not in kernels:
        raise SsmsimError(f"no kernel {name}", where, f"it holds {', '.join(kernels[:8]) or 'none'}")
    code = _link(module, name)
    inside = {
        s.name: module.places[module.home(s)] + s["st_value"]
        for s in symbols if s.name and module.home(s) in module.places
    }  # fmt: skip
    registers = local = 0
    grows = False
    for code_, payload in attributes(sections[".nv.info"].data()) if ".nv.info" in sections else []:
        if code_ in (FRAME_SIZE, MIN_STACK_SIZE, MAX_STACK_SIZE, REGCOUNT) and len(payload) >= 8:
            index, value = struct.unpack_from("<II", payload)
            if index < len(symbols) and symbols[index].name == name:
                if code_ == REGCOUNT:
                    registers = value & 0xFFFF
                elif value == UNBOUNDED:
                    grows = True
                else:
                    local = max(local, value)
    info = attributes(sections[f".nv.info.{name}"].data()) if f".nv.info.{name}" in sections else []
    base, size = next((struct.unpack_from("<HH", v, 4) for a, v in info if a == PARAM_CBANK), (0x210, 0))
    constants, banks = {}, {}
    for section in sections.values():
        bank, _, owner = section.name.removeprefix(".nv.constant").partition(".")
        if section.name.startswith(".nv.constant") and bank.isdigit() and owner in ("", name):
            constants[int(bank)] = section.data()
            banks[section.name] = f"bank{bank}"
    shared = sections.get(f".nv.shared.{name}")
    relocations = tuple(_relocations(module, banks))
    called = {r.symbol for r in relocations}
    return Kernel(
        name, np.frombuffer(code[: len(code) // 16 * 16], "<u8").reshape(-1, 2), constants, inside,
        parameter_slots(info), base, size, registers, local, shared["sh_size"] if shared else 0,
        tuple(_variables(module)), relocations,
        tuple(s.name for s in symbols if s["st_shndx"] == "SHN_UNDEF" and s.name in called),
        len(module.places) > 1 or any(r.section == "text" for r in relocations), grows,
    )  # fmt: skip


def _relocations(module: _Module, banks: dict[str, str]) -> Iterator[Relocation]:
    """Those of the linked code, of the kernel's constant banks and of the variables."""
    places: Iterable[tuple[str, str, int]] = [
        *((text, "text", place) for text, place in module.places.items()),
        *((section, bank, 0) for section, bank in banks.items()),
        *((section, section, 0) for section in VARIABLE_SECTIONS if section not in banks),
    ]
    for section, called, base in places:
        for each, symbol in module.relocations_of(section):
            addend = each["r_addend"] if each.is_RELA() else 0
            yield Relocation(called, base + each["r_offset"], each["r_info_type"], symbol.name, addend)


def _variables(module: _Module) -> Iterator[ModuleVariable]:
    for symbol in module.symbols:
        section = module.home(symbol)
        if section in VARIABLE_SECTIONS and symbol["st_info"]["type"] == "STT_OBJECT" and symbol.name:
            place, size, held = symbol["st_value"], symbol["st_size"], module.sections[section]
            data = held.data()[place : place + size] if held["sh_type"] != "SHT_NOBITS" else b""
            yield ModuleVariable(symbol.name, VARIABLE_SECTIONS[section], section, place, size, data.ljust(size, b"\0"))
