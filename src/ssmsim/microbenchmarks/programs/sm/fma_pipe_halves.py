"""Which half of the fp32 pipe takes an instruction: FFMAs, FMULs, FADDs and IMADs among themselves and with others between.

CASE.WARPS: cycles per round of a line of 40 instructions, in each of WARPS warps of an SM. counted gives ncu's instructions of
the pipe, and those of its heavy half, which integer products need (sm__pipe_fmaheavy_cycles_active). imad moves a constant,
product multiplies. All sources are RZ, so that no register port is waited for, but in the cases with `read`, whose FFMAs and
products read three registers each.
"""

from collections.abc import Iterator
from itertools import cycle
from typing import Any

from ssmsim.microbenchmarks import machine_code
from ssmsim.microbenchmarks.case import Loop, f32, i32, u64
from ssmsim.microbenchmarks.instruction_words import NOP, Step, place, word

LENGTH = 40  # FFMAs in a row; those behind them stay
FFMA, FMUL = Step("FFMA.FTZ", ("z", "z", "z", "z")), Step("FMUL", ("z", "z", "z"))
FADD, LOGIC = Step("FADD", ("z", "z", "z")), Step("LOP3.LUT", ("z", "z", "z"))
IMAD, WIDE = Step("IMAD.MOV.U32", ("z",)), Step("IMAD.WIDE", ("z", "z", "z", "z"))
PRODUCT = Step("IMAD", ("z", "z", "z", "z"))
READ, PRODUCT_READ = Step("FFMA.FTZ", ("z", "Ae", "Bo", "Ce")), Step("IMAD", ("z", "Ae", "Bo", "Ce"))
CASES = {
    "ffma": [FFMA],
    "ffma_nop": [FFMA, NOP],
    "ffma_nop2": [FFMA, NOP, NOP],
    "ffma2_nop": [FFMA, FFMA, NOP],
    "ffma2_nop2": [FFMA, FFMA, NOP, NOP],
    "ffma4_nop4": [FFMA] * 4 + [NOP] * 4,
    "ffma_lop": [FFMA, LOGIC],
    "ffma2_lop": [FFMA, FFMA, LOGIC],
    "fmul": [FMUL],
    "fmul_nop": [FMUL, NOP],
    "fadd": [FADD],
    "fadd_nop": [FADD, NOP],
    "fmul_ffma": [FMUL, FFMA],
    "imad": [IMAD],
    "imad_nop": [IMAD, NOP],
    "ffma_imad": [FFMA, IMAD],
    "ffma_nop_imad": [FFMA, NOP, IMAD],
    "ffma2_imad": [FFMA, FFMA, IMAD],
    "ffma3_imad": [FFMA, FFMA, FFMA, IMAD],
    "ffma_imad_nop": [FFMA, IMAD, NOP],
    "ffma_imad_nop2": [FFMA, IMAD, NOP, NOP],
    "wide": [WIDE],
    "ffma_wide": [FFMA, WIDE],
    "ffma3_wide": [FFMA, FFMA, FFMA, WIDE],
    "product": [PRODUCT],
    "product_nop": [PRODUCT, NOP],
    "ffma_product": [FFMA, PRODUCT],
    "ffma2_product": [FFMA, FFMA, PRODUCT],
    "ffma_product_nop": [FFMA, PRODUCT, NOP],
    "product_lop": [PRODUCT, LOGIC],
    "read": [READ],
    "read_imad": [READ, IMAD],
    "read_nop": [READ, NOP],
    "product_read": [PRODUCT_READ],
    "read_product": [READ, PRODUCT],
    "ffma_product_read": [FFMA, PRODUCT_READ],
    "read_product_read": [READ, PRODUCT_READ],
    "read_product_read_nop": [READ, PRODUCT_READ, NOP],
}
WARPS = (4, 16, 32)
ROUNDS = 200


def patch(image: bytes) -> bytes:
    """The cubin with the line written over each kernel's FFMAs."""
    return machine_code.over_ffmas(image, lambda name: map(_word, cycle(CASES[name.removeprefix("halves_")])), LENGTH)


def _word(step: Step) -> int:
    return word(place([step], range(16))[0])


def source() -> str:
    """A kernel for each case, all of FFMAs before `patch`."""
    kernels = "".join(f"HALVES({name})\n" for name in CASES)
    return f"""#include "straight.cuh"
#define HALVES(name)                                                                                            \\
    KERNEL halves_##name(Record* out, int n, float a) {{                                                          \\
        float w = a, x = a + threadIdx.x, y = a * threadIdx.x, z = a + 2 * threadIdx.x;                           \\
        __syncthreads();                                                                                          \\
        u64 start = now();                                                                                        \\
        _Pragma("unroll 1") for (int i = 0; i < n; i++)                                                           \\
            asm volatile(TIMES16(FOUR) : "+f"(w), "+f"(x), "+f"(y), "+f"(z) : "f"(a));                            \\
        leave(out, start, (u32)(w + x + y + z));                                                                  \\
    }}
{kernels}"""


LOOPS = [
    Loop(f"{name}.{warps}", f"halves_{name}", 1, threads=32 * warps, args=(f32(1.0),), rounds=(20, 100),
         replay=warps == 16 and name in ("ffma_imad", "ffma2_imad", "ffma_nop", "fmul_ffma", "ffma_product", "read_product_read"))
    for name in CASES
    for warps in WARPS
]  # fmt: skip

METRICS = [
    (
        "none",
        [
            "sm__cycles_active.max",
            "smsp__inst_executed.sum",
            "sm__inst_executed_pipe_fma.sum",
            "sm__pipe_fma_cycles_active.sum",
            "sm__pipe_fmaheavy_cycles_active.sum",
        ],
    )
]
SECONDS = 120


def counted(session: Any) -> Iterator[str]:
    out = session.buffer(32 * 32 * max(WARPS))
    for name in CASES:
        for warps in WARPS:
            session.launch(f"halves_{name}", 1, 32 * warps, u64(out), i32(ROUNDS), f32(1.0))
            session.gpu.synchronize()
            yield f"{name}.{warps}"
