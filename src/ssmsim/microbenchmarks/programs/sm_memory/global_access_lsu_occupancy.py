"""What an access to global memory takes of the SM's unit for shared memory, a few among many loads that keep it busy.

A.B.E: cycles per round of 32 A and E B among them from each of 16 warps; A.none.0: of A alone. The cost of one B is
(A.B.2 - A.none.0) / 32. Lines are of 512 KB that L2 holds and pass the L1. rows128: a store to four lines far apart.
"""

from collections.abc import Iterator
from typing import Any

from ssmsim.microbenchmarks.case import Loop, Unrecorded, i32, u32, u64

FIRST = ("lds128", "lds32")
SECOND = ("stg32", "stg64", "stg128", "rows128", "red32", "ldg32", "ldg64", "ldg128")
REGION, MEMORY, SHARED, THREADS, ROUNDS = 512 << 10, 1 << 20, 68 << 10, 512, 200
TRIED = [(a, b, e) for a in FIRST for b, e in [("none", 0), *((b, e) for b in SECOND for e in (1, 2))]]
LOOPS = [
    Loop(
        f"{a}.{b}.{e}",
        f"tolls_{a}_{b}_{e}",
        1,
        threads=THREADS,
        shared=SHARED,
        args=(Unrecorded(MEMORY), u32(REGION)),
        replay=f"{a}.{b}.{e}" in ("lds128.none.0", "lds128.stg128.2", "lds128.ldg128.2", "lds32.stg128.2"),
    )
    for a, b, e in TRIED
]
METRICS = [
    (
        "none",
        [
            "sm__cycles_active.max",
            "l1tex__data_pipe_lsu_wavefronts.sum",
            "l1tex__data_pipe_lsu_wavefronts_mem_lgds.sum",
            "l1tex__data_pipe_lsu_wavefronts_mem_lgds_cmd_read.sum",
            "l1tex__data_pipe_lsu_wavefronts_mem_lgds_cmd_write.sum",
            "l1tex__data_bank_conflicts_pipe_lsu.sum",
            "l1tex__t_output_wavefronts.sum",
        ],
    )
]
SECONDS = 120


def counted(session: Any) -> Iterator[str]:
    out, base = session.buffer(32 * THREADS), session.buffer(MEMORY)
    for a, b, e in TRIED:
        if e != 1:
            session.launch(
                f"tolls_{a}_{b}_{e}", 1, THREADS, u64(out), i32(ROUNDS), u64(base), u32(REGION), shared=SHARED
            )
            session.gpu.synchronize()
            yield f"{a}.{b}.{e}"
