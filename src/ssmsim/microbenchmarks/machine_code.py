"""Kernels' machine code inside a cubin, for programs that replace instructions after compilation (their `patch`)."""

import io
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from elftools.elf.elffile import ELFFile

WORD = 16  # bytes of an instruction
PREFIX = ".text."
FFMA = 0x223  # low 12 bits of the instruction word


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


def over_ffmas(image: bytes, lines: Callable[[str], Iterable[int]], length: int) -> bytes:
    """The cubin with `length` words of lines(kernel) over the first so many FFMAs in a row of each kernel."""
    data = bytearray(image)
    for name, start, words in kernels(image):
        those = {i for i, word in enumerate(read(data, start, words)) if word & 0xFFF == FFMA}
        first = next(i for i in sorted(those) if set(range(i, i + length)) <= those)
        for i, word in enumerate(islice(lines(name), length), first):
            write(data, start, i, word)
    return bytes(data)
