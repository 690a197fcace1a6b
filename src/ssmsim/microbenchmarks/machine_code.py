"""Kernels' machine code inside a cubin, for programs that replace instructions after compilation (their `patch`)."""

import io
from collections.abc import Iterator

from elftools.elf.elffile import ELFFile

WORD = 16  # bytes of an instruction
PREFIX = ".text."


def kernels(image: bytes) -> Iterator[tuple[str, int, int]]:
    """(name, offset in the file, instructions) of every kernel."""
    for section in ELFFile(io.BytesIO(image)).iter_sections():
        if section.name.startswith(PREFIX):
            yield section.name.removeprefix(PREFIX), section["sh_offset"], section["sh_size"] // WORD


def read(data: bytes | bytearray, start: int, words: int) -> list[int]:
    """The instructions as 128-bit numbers."""
    return [int.from_bytes(data[start + WORD * i : start + WORD * (i + 1)], "little") for i in range(words)]


def write(data: bytearray, start: int, number: int, word: int) -> None:
    """Replace one instruction of the kernel that begins at `start`."""
    data[start + WORD * number : start + WORD * (number + 1)] = word.to_bytes(WORD, "little")
