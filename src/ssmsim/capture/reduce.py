"""Cuts a cubin of many kernels down to some of them: a library's module of 20 MB to the 30 KB that a launch ran.

Code, constants, .nv.info and relocations of the kept kernels stay byte for byte; other kernels, debug sections, their
names and the call graph go. What refers to sections or symbols by number is renumbered.
"""

import re
import struct
from dataclasses import dataclass, replace

from ssmsim.sass.elf_attributes import FORMAT_SIZED, PARAM_CBANK
from ssmsim.sass.kernel_elf import ENTRY

SECTION, SYMBOL, RELA, PROGRAM = (struct.Struct(f) for f in ("<IIQQQQIIQQ", "<IBBHQQ", "<QQq", "<IIQQQQQQ"))
SHT_SYMTAB, SHT_STRTAB, SHT_RELA, SHT_NOBITS, SHF_INFO_LINK, SHN_LORESERVE = 2, 3, 4, 8, 0x40, 0xFF00
API_VERSION, EXTERNS = 0x37, 0x0F  # attributes of .nv.info: no symbol in the first, only symbols in the second
OF_KERNEL = re.compile(r"\.(?:rela?\.)?(?:text|nv\.info|nv\.shared|nv\.local|nv\.constant\d+)\.(?P<kernel>.+)")
DROPPED = re.compile(
    r"\.(?:rela?\.)?(?:debug_|nv_debug|nv\.callgraph|nv\.prototype|nv\.rel\.action|nv\.merc|nv\.capmerc).*"
)


@dataclass(frozen=True)
class Section:
    name: str
    header: tuple[int, ...]
    data: bytes

    @property
    def kind(self) -> int:
        return self.header[1]


def _read(image: bytes) -> tuple[list[Section], int]:
    offset, count, names_at = struct.unpack_from("<40xQ", image)[0], *struct.unpack_from("<60xHH", image)
    headers = [SECTION.unpack_from(image, offset + i * SECTION.size) for i in range(count)]
    names = image[headers[names_at][4] :]
    sections = []
    for header in headers:
        name = names[header[0] : names.index(b"\0", header[0])].decode()
        data = b"" if header[1] in (0, SHT_NOBITS) else image[header[4] : header[4] + header[5]]
        sections.append(Section(name, header, data))
    return sections, names_at


def _with_callees(sections: list[Section], kernels: set[str]) -> set[str]:
    """The kernels and the functions of other sections that they, or function pointers, may call (nvcc -rdc=true)."""
    table = next(s for s in sections if s.kind == SHT_SYMTAB)
    symbols = list(SYMBOL.iter_unpack(table.data))
    relocations = {s.name.removeprefix(".rela"): RELA.iter_unpack(s.data) for s in sections if s.kind == SHT_RELA}
    wanted, queue = set(kernels), [*(f".text.{kernel}" for kernel in kernels), ".nv.constant4", ".nv.global.init"]
    while queue:
        for _, info, _ in relocations.pop(queue.pop(), iter(())):
            _, _, other, home, _, _ = symbols[info >> 32]
            text = sections[home].name if 0 < home < len(sections) else ""
            if text.startswith(".text.") and not other & ENTRY and text.removeprefix(".text.") not in wanted:
                wanted.add(text.removeprefix(".text."))
                queue.append(text)
    return wanted


def _wanted(section: Section, kernels: set[str]) -> bool:
    if DROPPED.fullmatch(section.name):
        return False
    owner = OF_KERNEL.fullmatch(section.name)
    return owner is None or owner["kernel"] in kernels or owner["kernel"] == "reserved.0"


class _Strings:
    """A string table being made."""

    def __init__(self) -> None:
        self.data, self.places = bytearray(b"\0"), {"": 0}

    def add(self, text: str) -> int:
        if text not in self.places:
            self.places[text] = len(self.data)
            self.data += text.encode() + b"\0"
        return self.places[text]


def _info(data: bytes, symbols: dict[int, int], of_kernel: bool) -> bytes:
    """An .nv.info section with its symbols renumbered; entries of symbols that are gone are left out."""
    kept, at = bytearray(), 0
    while at + 4 <= len(data):
        kind, attribute, size = struct.unpack_from("<BBH", data, at)
        end = at + 4 + (size if kind == FORMAT_SIZED else 0)
        entry = bytearray(data[at:end])
        at = end
        if attribute == EXTERNS:
            count = (len(entry) - 4) // 4
            struct.pack_into(f"<{count}I", entry, 4, *(symbols[i] for i in struct.unpack_from(f"<{count}I", entry, 4)))
        elif kind == FORMAT_SIZED and (attribute == PARAM_CBANK if of_kernel else attribute != API_VERSION):
            symbol = symbols.get(struct.unpack_from("<I", entry, 4)[0])
            if symbol is None:
                continue
            struct.pack_into("<I", entry, 4, symbol)
        kept += entry
    return bytes(kept)


def reduce_cubin(image: bytes, kernels: set[str]) -> bytes:
    """`image` with only `kernels` (mangled names) and what they refer to."""
    sections, names_at = _read(image)
    kernels = _with_callees(sections, kernels)
    numbers: dict[int, int] = {}
    for i, section in enumerate(sections):
        if _wanted(section, kernels):
            numbers[i] = len(numbers)
    table = next(i for i, s in enumerate(sections) if s.kind == SHT_SYMTAB)
    strings_at = sections[table].header[6]
    old_strings = sections[strings_at].data
    strings, packed, local = _Strings(), bytearray(), 0
    symbols: dict[int, int] = {}
    for i, symbol in enumerate(SYMBOL.iter_unpack(sections[table].data)):
        name, info, other, home, value, size = symbol
        if i and home and home < SHN_LORESERVE and home not in numbers:
            continue
        text = old_strings[name : old_strings.index(b"\0", name)].decode()
        symbols[i] = len(symbols)
        local = symbols[i] + 1 if info >> 4 == 0 else local
        home = numbers.get(home, home) if home < SHN_LORESERVE else home
        packed += SYMBOL.pack(strings.add(text), info, other, home, value, size)
    kept: list[Section] = []
    names = _Strings()
    for i in numbers:
        section, data = sections[i], sections[i].data
        _, kind, flags, address, offset, size, link, info, align, entry = section.header
        if i == table:
            data, info = bytes(packed), local
        elif kind == SHT_RELA:
            relocations = [r for r in RELA.iter_unpack(data) if r[1] >> 32 in symbols]
            data = b"".join(RELA.pack(o, symbols[t >> 32] << 32 | t & 0xFFFFFFFF, a) for o, t, a in relocations)
        elif section.name.startswith(".nv.info"):
            data = _info(data, symbols, section.name != ".nv.info")
        if i == strings_at:
            data = bytes(strings.data)
        if flags & SHF_INFO_LINK or kind == SHT_RELA:
            info = numbers.get(info, 0)
        elif section.name.startswith(".text."):
            info = info & ~0xFFFFFF | symbols[info & 0xFFFFFF]
        size = size if kind in (0, SHT_NOBITS) else len(data)
        header = (names.add(section.name), kind, flags, address, offset, size, numbers.get(link, 0), info, align, entry)
        kept.append(Section(section.name, header, data))
    where = numbers[names_at]
    kept[where] = replace(kept[where], data=bytes(names.data))
    return _write(image, kept, where)


def _write(image: bytes, sections: list[Section], names_at: int) -> bytes:
    """ELF header, sections in order, section headers, program headers with the kept sections of each segment."""
    out, headers, moved = bytearray(image[:64]), [], []
    for section in sections:
        name, kind, flags, address, offset, size, link, info, align, entry = section.header
        out += b"\0" * (-len(out) % max(1, align))
        place = len(out) if kind else 0
        size = size if kind in (0, SHT_NOBITS) else len(section.data)
        out += section.data
        headers.append(SECTION.pack(name, kind, flags, address, place, size, link, info, align, entry))
        if kind:
            moved.append((offset, place, size, 0 if kind == SHT_NOBITS else size))
    out += b"\0" * (-len(out) % 8)
    section_offset = len(out)
    out += b"".join(headers)
    old_at, count = struct.unpack_from("<32xQ", image)[0], struct.unpack_from("<56xH", image)[0]
    program_offset = len(out)
    for i in range(count):
        kind, flags, offset, virtual, physical, size, memory, align = PROGRAM.unpack_from(
            image, old_at + i * PROGRAM.size
        )
        inside = [m for m in moved if offset <= m[0] < offset + max(size, 1)]
        if offset == old_at:  # the table of program headers itself
            offset, size = program_offset, count * PROGRAM.size
            memory = size
        elif inside:
            extra = max(0, memory - size)
            offset = min(m[1] for m in inside)
            size = max(m[1] + m[3] for m in inside) - offset
            memory = size + (sum(m[2] - m[3] for m in inside) if extra else 0)
        else:
            offset = size = memory = 0
        out += PROGRAM.pack(kind, flags, offset, virtual, physical, size, memory, align)
    struct.pack_into("<QQ", out, 32, program_offset if count else 0, section_offset)
    struct.pack_into("<HH", out, 60, len(sections), names_at)
    return bytes(out)
