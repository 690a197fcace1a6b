"""What a cubin says about its kernels: names, parameter layout, registers, shared memory (sections .nv.info).

Attribute numbers are those that `cuobjdump -elf` prints as EIATTR_*: 0x0a PARAM_CBANK, 0x17 KPARAM_INFO, 0x2f REGCOUNT.
"""

import hashlib
import io
import struct
from dataclasses import dataclass
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from ssmsim.errors import SsmsimError

PARAM_CBANK, KPARAM_INFO, REGCOUNT = 0x0A, 0x17, 0x2F
FORMAT_SIZED = 4  # the entry's 16-bit value is the length of the data that follow
SHARED_RESERVED = 0x400  # sm_90: the driver's first 1 KB of a block's shared window, counted in the section's size


@dataclass(frozen=True)
class KernelInfo:
    """One kernel of a cubin.

    param_base:      offset of the parameters in constant bank 0 (0x210 on sm_90).
    param_bytes:     length of the parameter buffer.
    params:          (offset, bytes) of each parameter, by its number.
    registers:       per thread. static_shared: bytes per block, without the part the driver reserves.
    """

    name: str
    param_base: int
    param_bytes: int
    params: tuple[tuple[int, int], ...]
    registers: int
    static_shared: int


def attributes(data: bytes) -> list[tuple[int, bytes]]:
    """(attribute, value) pairs of an .nv.info section; short values as their two bytes."""
    found, at = [], 0
    while at + 4 <= len(data):
        kind, attribute, value = struct.unpack_from("<BBH", data, at)
        at += 4
        if kind == FORMAT_SIZED:
            found.append((attribute, data[at : at + value]))
            at += value
        else:
            found.append((attribute, struct.pack("<H", value)))
    return found


def kernel_names(image: bytes) -> list[str]:
    """Mangled names of the kernels in a cubin, in section order."""
    elf = ELFFile(io.BytesIO(image))
    prefix = ".nv.info."
    return [s.name.removeprefix(prefix) for s in elf.iter_sections() if s.name.startswith(prefix)]


def code_sha256(image: bytes, kernel: str) -> str:
    """Identity of a kernel: hash of its machine code and constants, without debug information or its neighbours."""
    digest = hashlib.sha256()
    for section in ELFFile(io.BytesIO(image)).iter_sections():
        prefix = section.name.removesuffix(f".{kernel}")
        if prefix != section.name and (prefix == ".text" or prefix.startswith(".nv.constant")):
            digest.update(f"{prefix} {section['sh_size']} ".encode() + section.data())
    return digest.hexdigest()


def _section(elf: ELFFile, name: str) -> Any:
    section = elf.get_section_by_name(name)
    if section is None:
        raise ValueError(f"no section {name}")
    return section


def kernel_info(image: bytes, kernel: str, where: object = "") -> KernelInfo:
    """Facts of `kernel`, read from its cubin.

    Raises SsmsimError when the file is no cubin, is cut short, or has no such kernel; `where` is named in it.
    """
    try:
        return _kernel_info(image, kernel, where)
    except (
        ELFError,
        struct.error,
        AttributeError,
        ValueError,
        IndexError,
        TypeError,
        OverflowError,
        KeyError,
    ) as error:
        raise SsmsimError(f"not a whole cubin: {error}", where, "copy the cubin again or capture again") from None


def _kernel_info(image: bytes, kernel: str, where: object) -> KernelInfo:
    elf = ELFFile(io.BytesIO(image))
    if elf["e_machine"] not in ("EM_CUDA", 190):
        raise SsmsimError(f"machine {elf['e_machine']} is not CUDA", where, "give the cubin of the launch")
    end = max((s["sh_offset"] + s["sh_size"] for s in elf.iter_sections() if s["sh_type"] != "SHT_NOBITS"), default=0)
    if end > len(image):
        raise SsmsimError(f"cut short: {len(image)} bytes of {end}", where, "copy the cubin again or capture again")
    info = elf.get_section_by_name(f".nv.info.{kernel}")
    if info is None or elf.get_section_by_name(f".text.{kernel}") is None:
        names = ", ".join(kernel_names(image)[:3]) or "none"
        raise SsmsimError(f"no kernel {kernel!r} in it (it has {names})", where, "give the cubin of the launch")
    params: dict[int, tuple[int, int]] = {}
    base = size = 0
    for attribute, value in attributes(info.data()):
        if attribute == KPARAM_INFO:
            ordinal, offset, flags = struct.unpack_from("<4xHHI", value)
            params[ordinal] = (offset, flags >> 18)
        elif attribute == PARAM_CBANK:
            base, size = struct.unpack_from("<4xHH", value)
    symbols = {i: s.name for i, s in enumerate(_section(elf, ".symtab").iter_symbols())}
    registers = 0
    for attribute, value in attributes(_section(elf, ".nv.info").data()):
        if attribute == REGCOUNT and symbols.get(struct.unpack_from("<I", value)[0]) == kernel:
            registers = struct.unpack_from("<I", value, 4)[0]
    shared = elf.get_section_by_name(f".nv.shared.{kernel}")
    static = max(0, shared["sh_size"] - SHARED_RESERVED) if shared is not None else 0
    return KernelInfo(kernel, base, size, tuple(params[i] for i in sorted(params)), registers, static)
