"""What a cubin says about its kernels: names, parameter layout, registers, shared memory (sections .nv.info).

Attribute numbers are those that `cuobjdump -elf` prints as EIATTR_*. With more than 4 KB of parameters (CUDA 12.1 on)
KPARAM_INFO_V2 stands in place of KPARAM_INFO; their layouts are those seen in cubins of nvcc 13.0 (tests/data/kernels).
"""

import hashlib
import io
import struct
from dataclasses import dataclass
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from ssmsim.errors import SsmsimError

PARAM_CBANK, KPARAM_INFO, REGCOUNT, KPARAM_INFO_V2 = 0x0A, 0x17, 0x2F, 0x45
MAX_THREADS, REQUIRED_THREADS, CLUSTER_SIZE, EXPLICIT_CLUSTER = 0x05, 0x10, 0x3D, 0x3E
FORMAT_SIZED = 4  # the entry's 16-bit value is the length of the data that follow
SHARED_RESERVED = 0x400  # sm_90: the driver's first 1 KB of a block's shared window, counted in the section's size


@dataclass(frozen=True)
class KernelInfo:
    """One kernel of a cubin.

    param_base:      offset of the parameters in constant bank 0 (0x210 on sm_90).
    param_bytes:     length of the parameter buffer.
    params:          (offset, bytes) of each parameter, by its number.
    registers:       per thread. static_shared: bytes per block, without the part the driver reserves.
    max_threads:     of a block (__launch_bounds__), 0 when not bounded. block: the only one allowed (.reqntid).
    cluster:         the size compiled in (__cluster_dims__), None when the launch chooses.
    """

    name: str
    param_base: int
    param_bytes: int
    params: tuple[tuple[int, int], ...]
    registers: int
    static_shared: int
    max_threads: int = 0
    block: tuple[int, int, int] | None = None
    cluster: tuple[int, int, int] | None = None


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


def parameter_slots(info: list[tuple[int, bytes]]) -> tuple[tuple[int, int], ...]:
    """(offset in the parameter buffer, bytes) of each parameter, by its number."""
    slots: dict[int, tuple[int, int]] = {}
    for attribute, value in info:
        if attribute == KPARAM_INFO:
            ordinal, offset, flags = struct.unpack_from("<4xHHI", value)
            slots[ordinal] = (offset, flags >> 18)
        elif attribute == KPARAM_INFO_V2:
            ordinal, offset, size = struct.unpack_from("<4xHHI", value)
            slots[ordinal] = (offset, size)
    return tuple(slots[i] for i in sorted(slots))


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


def refuse_unlinked(elf: Any, where: object) -> None:
    """SsmsimError for relocatable device code: only the linked cubin has a kernel's final code."""
    if elf["e_type"] == "ET_REL":
        what = "relocatable device code (nvcc -rdc=true) that is not linked"
        raise SsmsimError(what, where, "give the linked cubin (nvcc -dlink ... -cubin), which the driver loaded")


def _kernel_info(image: bytes, kernel: str, where: object) -> KernelInfo:
    elf = ELFFile(io.BytesIO(image))
    if elf["e_machine"] not in ("EM_CUDA", 190):
        raise SsmsimError(f"machine {elf['e_machine']} is not CUDA", where, "give the cubin of the launch")
    refuse_unlinked(elf, where)  # first: its sections of no bytes have types of their own
    end = max((s["sh_offset"] + s["sh_size"] for s in elf.iter_sections() if s["sh_type"] != "SHT_NOBITS"), default=0)
    if end > len(image):
        raise SsmsimError(f"cut short: {len(image)} bytes of {end}", where, "copy the cubin again or capture again")
    info = elf.get_section_by_name(f".nv.info.{kernel}")
    if info is None or elf.get_section_by_name(f".text.{kernel}") is None:
        names = ", ".join(kernel_names(image)[:3]) or "none"
        raise SsmsimError(f"no kernel {kernel!r} in it (it has {names})", where, "give the cubin of the launch")
    found = attributes(info.data())
    last = dict(found)
    base, size = struct.unpack_from("<4xHH", last[PARAM_CBANK]) if PARAM_CBANK in last else (0, 0)
    bound = struct.unpack_from("<3I", last[MAX_THREADS]) if MAX_THREADS in last else (0, 0, 0)
    block = struct.unpack_from("<3I", last[REQUIRED_THREADS]) if REQUIRED_THREADS in last else None
    cluster = struct.unpack_from("<3I", last[CLUSTER_SIZE]) if CLUSTER_SIZE in last else None
    symbols = {i: s.name for i, s in enumerate(_section(elf, ".symtab").iter_symbols())}
    registers = 0
    for attribute, value in attributes(_section(elf, ".nv.info").data()):
        if attribute == REGCOUNT and symbols.get(struct.unpack_from("<I", value)[0]) == kernel:
            registers = struct.unpack_from("<I", value, 4)[0]
    shared = elf.get_section_by_name(f".nv.shared.{kernel}")
    static = max(0, shared["sh_size"] - SHARED_RESERVED) if shared is not None else 0
    return KernelInfo(
        kernel, base, size, parameter_slots(found), registers, static, bound[0] * bound[1] * bound[2], block, cluster
    )
