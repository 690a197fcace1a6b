"""Whose turn it is at a pipe within a block: warps that each need it for a run of instructions and then pause.

NAME.WARPS: cycles per round, in which each warp issues 16 LOP3 or 4 MUFU (twice: 8), with the stall count that the name ends
in, and then NOPs six cycles apart. One warp after the other goes through its run: with turns from instruction to instruction
all would be held up until the last has ended.
"""

from dataclasses import replace
from itertools import chain, repeat

from ssmsim.microbenchmarks import machine_code
from ssmsim.microbenchmarks.case import Loop, f32
from ssmsim.microbenchmarks.instruction_words import NOP, Step, place, stalling, word

LENGTH = 40  # FFMAs in a row; those behind them stay
PAUSE = stalling(NOP, 6)
LOGIC, SPECIAL = Step("LOP3.LUT", ("z", "z", "z")), Step("MUFU.EX2", ("z", "z"))


def _run(step: Step, count: int, stall: int, yields: bool = False) -> list[Step]:
    return [replace(step, stall=stall, yields=yields)] * count


CASES = {
    "alu1": _run(LOGIC, 16, 1),
    "alu2": _run(LOGIC, 16, 2),
    "alu2_yields": _run(LOGIC, 16, 2, True),
    "alu4": _run(LOGIC, 16, 4),
    "special1": _run(SPECIAL, 4, 1),
    "special8": _run(SPECIAL, 4, 8),
    "special8_yields": _run(SPECIAL, 4, 8, True),
    "special8_twice": _run(SPECIAL, 8, 8),
}


def patch(image: bytes) -> bytes:
    """The cubin with the line written over each kernel's FFMAs."""
    return machine_code.over_ffmas(
        image, lambda name: map(_word, chain(CASES[name.removeprefix("series_")], repeat(PAUSE))), LENGTH
    )


def _word(step: Step) -> int:
    return word(place([step], range(16))[0])


LOOPS = [
    Loop(f"{name}.{warps}", f"series_{name}", 1, threads=32 * warps, args=(f32(1.0),), rounds=(20, 100),
         replay=warps in (8, 12, 16) and name in ("alu1", "alu2_yields", "special8_yields"))
    for name in CASES
    for warps in (4, 8, 12, 16, 20)
]  # fmt: skip
