"""Waits for shared memory beside arithmetic in the same sub-core: what a load or shuffle loses to warps that calculate.

WAIT.WORK.RIVALS: cycles per 16 waits of one warp, beside so many warps of its sub-core (0: alone) that calculate about as
long; apart: the same rivals in the other three sub-cores.
"""

from ssmsim.microbenchmarks.case import Loop, i32

WAITS = ("lds", "ldsm", "shfl")
ROUNDS = {
    "ffma": (20, 12, 8),
    "fmul": (24, 16, 12),
    "lop3": (10, 7, 5),
    "ex2": (6, 3, 2),
    "hmma": (8, 4, 3),
    "mixed": (12, 7, 5),
}
LOOPS = [
    Loop(
        f"{wait}.{work}.{count}",
        f"rivals_{wait}_{work}",
        16,
        threads=32 * (1 + 4 * count),
        shared=16384,
        args=(i32(rounds), i32(1)),
        replay=wait != "ldsm",
    )
    for wait in WAITS
    for work, all_rounds in ROUNDS.items()
    for count, rounds in zip((0, 1, 2, 3), (0, *all_rounds), strict=True)
]
