"""Groups of shared-memory instructions and what waits for them: K in a row from each warp, then all their results.

NAME.K.WARPS: cycles per group, by instruction, size of the group and warps of the SM; the time of the last result
beyond its own latency is what the unit and the way back to the registers take. sts128_lds: stores, then one load.
"""

from ssmsim.microbenchmarks.case import Loop, i32

KINDS = ("lds32", "lds64", "lds128", "ldsm1", "ldsm4", "sts32", "sts128", "ex2", "shfl")
COUNTS = (1, 2, 4, 8)
LOOPS = [
    Loop(
        f"{kind}.{count}.{threads // 32}",
        f"group_{kind}_{count}",
        count,
        threads=threads,
        shared=65536,
        args=(i32(0), i32(0)),
        replay=threads in (128, 512) and kind in ("lds32", "lds128", "ldsm4"),
    )
    for kind in KINDS
    for count in COUNTS
    for threads in (32, 128, 256, 512)
]
