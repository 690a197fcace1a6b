"""Which warp issues: two warps of a sub-core that take every slot between them, and a third.

Cycles per round, in which each runs through its own straight line of LENGTH instructions; they wait for each other at
its end. The round lasts as long as the third takes: as long as all three where it gets its turn, that of the two longer
where it does not.
"""

from itertools import chain, islice, repeat
from typing import Any

from ssmsim.microbenchmarks import machine_code
from ssmsim.microbenchmarks.case import Loop, f32, i32
from ssmsim.microbenchmarks.instruction_words import NOP, Step, ffma, place, stalling, word

LENGTH = 90
FFMA = 0x223  # low 12 bits of the instruction word
ROUNDING = 78  # two bits, 3: to zero


def nop(stall: int, yields: bool = False) -> Step:
    return Step("NOP", (), stall, yields=yields)


def exponential(yields: bool) -> tuple[Step, ...]:
    """One whose result the next but two waits for by counter 0."""
    return Step("MUFU.EX2", ("z", "z"), 2, yields=yields, sets=0), Step("NOP", (), 2, waits=(0,)), nop(2)


# The two and the third.
CASES: dict[str, tuple[tuple[Step, ...], tuple[Step, ...]]] = {
    "share": ((nop(2),), (nop(2),)),
    "yields": ((nop(2),), (nop(2, True),)),
    "stalls": ((nop(2),), (nop(4),)),
    "stalls_yields": ((nop(2),), (nop(4, True),)),
    "woken": ((nop(2),), exponential(False)),
    "woken_yields": ((nop(2),), exponential(True)),
    "all_yield": ((nop(2, True),), exponential(True)),
    "run": ((ffma("zzz"),), (nop(2),)),
    "run_yields": ((ffma("zzz"),), (nop(2, True),)),
}


def patch(image: bytes) -> bytes:
    """The cubin with the lines written over each kernel's FFMAs."""
    data = bytearray(image)
    for name, start, words in machine_code.kernels(image):
        code = machine_code.read(data, start, words)
        for pattern, (first, last) in zip(CASES[name.removeprefix("favours_")], _lines(code), strict=True):
            line = chain(islice(chain.from_iterable(repeat(pattern)), LENGTH), repeat(stalling(NOP, 1)))
            for i, step in zip(range(first, last), line, strict=False):
                machine_code.write(data, start, i, word(place([step], range(16))[0]))
    return bytes(data)


def _lines(code: list[int]) -> list[tuple[int, int]]:
    """[first, last) of the FFMAs that round to nearest, and of those that round to zero."""
    found = []
    for rounding in (0, 3):
        those = [i for i, word_ in enumerate(code) if word_ & 0xFFF == FFMA and word_ >> ROUNDING & 3 == rounding]
        first = next(i for i in those if set(range(i, i + LENGTH)) <= set(those))
        found.append((first, next(i for i in range(first, len(code)) if i not in those)))
    return found


def _arguments(split: int) -> tuple[Any, ...]:
    return f32(1.0), i32(split)


LOOPS = [
    Loop(f"{name}.{split}.{warps}", f"favours_{name}", LENGTH, threads=128 * warps, args=_arguments(split),
         rounds=(20, 100), replay=(split, warps) == (2, 3) and not name.startswith("run"))
    for name in CASES
    for split, warps in ((2, 2), (0, 1), (1, 2), (2, 3), (1, 3))
]  # fmt: skip
