"""The ELF side of a cubin: a kernel's machine words, constants, parameter layout and resources."""

import struct
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from ssmsim.errors import SsmsimError
from ssmsim.sass.elf_attributes import KPARAM_INFO, PARAM_CBANK, REGCOUNT, attributes

# Attribute codes of .nv.info sections, as `cuobjdump -elf` names them (EIATTR_...).
FRAME_SIZE, MIN_STACK_SIZE, MAX_STACK_SIZE = 0x11, 0x12, 0x23


@dataclass(frozen=True)
class Kernel:
    """What the ELF says of one kernel.

    words:      uint64[instructions, 2], low half first.
    constants:  bytes per constant bank, bank 0 with parameters still zero.
    symbols:    offsets in the code of the functions that it may call.
    parameters: (offset in the parameter buffer, bytes) in order; parameter_base: its place in bank 0.
    local_bytes: stack of one thread. static_shared: bytes.
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


def read_kernel(data: bytes, name: str, where: Path | str) -> Kernel:
    """The kernel `name` of a cubin's bytes.

    Raises SsmsimError when it is no cubin, is cut short, or has no such kernel.
    """
    try:
        elf = ELFFile(BytesIO(data))
        sections = {section.name: section for section in elf.iter_sections()}
        for section in sections.values():
            if section["sh_type"] != "SHT_NOBITS" and section["sh_offset"] + section["sh_size"] > len(data):
                raise SsmsimError(f"cut short: section {section.name} ends behind the file", where, "copy it again")
        return _read(sections, name, where)
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


def _read(sections: dict, name: str, where: Path | str) -> Kernel:
    kernels = sorted(s.removeprefix(".text.") for s in sections if s.startswith(".text."))
    if name not in kernels:
        raise SsmsimError(f"no kernel {name}", where, f"it holds {', '.join(kernels[:8]) or 'none'}")
    text = sections[f".text.{name}"]
    code = text.data()
    table = sections.get(".symtab")
    symbols = list(table.iter_symbols()) if table else []
    header = list(sections)
    inside = {
        s.name: s["st_value"] for s in symbols if s.name and s["st_shndx"] == header.index(f".text.{name}")
    }  # section index of the text; names are unique per section
    registers = local = 0
    for code_, payload in attributes(sections[".nv.info"].data()) if ".nv.info" in sections else []:
        if code_ in (FRAME_SIZE, MIN_STACK_SIZE, MAX_STACK_SIZE, REGCOUNT) and len(payload) >= 8:
            index, value = struct.unpack_from("<II", payload)
            if index < len(symbols) and symbols[index].name == name:
                if code_ == REGCOUNT:
                    registers = value & 0xFFFF
                else:
                    local = max(local, value)
    parameters, base, size = [], 0x210, 0
    for code_, payload in attributes(sections[f".nv.info.{name}"].data()) if f".nv.info.{name}" in sections else []:
        if code_ == KPARAM_INFO:
            _, ordinal, offset, packed = struct.unpack_from("<IHHI", payload)
            parameters.append((ordinal, offset, packed >> 18 & 0x3FFF))
        elif code_ == PARAM_CBANK:
            _, base, size = struct.unpack_from("<IHH", payload)
    constants = {}
    for section in sections.values():
        bank, _, owner = section.name.removeprefix(".nv.constant").partition(".")
        if section.name.startswith(".nv.constant") and bank.isdigit() and owner in ("", name):
            constants[int(bank)] = section.data()
    shared = sections.get(f".nv.shared.{name}")
    return Kernel(
        name, np.frombuffer(code[: len(code) // 16 * 16], "<u8").reshape(-1, 2), constants, inside,
        tuple((offset, bytes_) for _, offset, bytes_ in sorted(parameters)), base, size, registers, local,
        shared["sh_size"] if shared else 0,
    )  # fmt: skip
