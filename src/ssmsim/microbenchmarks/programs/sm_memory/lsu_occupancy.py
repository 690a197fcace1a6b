"""What each instruction takes of the unit that shared memory, copies and loads go through, while others keep it busy.

A.B.E: cycles per round of 8 A and E B between them from each of 16 warps; A.none.0: of A alone. The cost of one B is
(A.B.8 - A.B.4) / 64, and counted gives ncu's wavefronts and conflicts of the same launches. zero: lanes of a copy that
fill with zeros, half: of 16 lanes. Copies are not waited for, and the compiler puts three LDS that are on in no lane
before each: a cycle each.
"""

from collections.abc import Iterator
from typing import Any

from ssmsim.microbenchmarks.case import Loop, Zeros, i32, u32, u64

FIRST = ("lds32", "lds128", "sts128")
SECOND = ("commit", "cg16", "ca16", "ca4", "zero16", "half16", "zero4", "ldg128", "bar")
REGION, SHARED, THREADS, ROUNDS = 1 << 20, 132 << 10, 512, 200
PAIRS = [(a, b, e) for a in FIRST for b, e in [("commit", 0), *((b, e) for b in SECOND for e in (4, 8))]]


def name(a: str, b: str, e: int) -> str:
    return f"{a}.{b if e else 'none'}.{e}"


LOOPS = [
    Loop(
        name(a, b, e),
        f"turns_{a}_{b}_{e}",
        1,
        threads=THREADS,
        shared=SHARED,
        args=(Zeros(REGION), u32(REGION)),
        replay=e == 8 and b in {"lds128": ("cg16", "half16", "zero16"), "sts128": ("cg16", "half16")}.get(a, ()),
    )
    for a, b, e in PAIRS
]

METRICS = [
    (
        "none",
        [
            "sm__cycles_active.max",
            "l1tex__data_pipe_lsu_wavefronts.sum",
            "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
            "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
            "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
            "l1tex__data_bank_conflicts_pipe_lsu.sum",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
            "l1tex__data_bank_reads.sum",
            "l1tex__data_bank_writes.sum",
            "l1tex__lsuin_requests.sum",
        ],
    )
]
SECONDS = 120


def counted(session: Any) -> Iterator[str]:
    out, base = session.buffer(32 * THREADS), session.buffer(REGION)
    for a, b, e in PAIRS:
        session.launch(f"turns_{a}_{b}_{e}", 1, THREADS, u64(out), i32(ROUNDS), u64(base), u32(REGION), shared=SHARED)
        session.gpu.synchronize()
        yield name(a, b, e)
