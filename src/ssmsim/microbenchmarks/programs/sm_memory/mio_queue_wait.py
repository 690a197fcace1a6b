"""Who waits behind a slow store to shared memory: latency of an instruction issued behind it, by the same or another warp.

before.K.X: K stores of 32 bank conflicts each, then X, whose result is awaited, then a chain in which all of it drains.
other.X.W: warp 0 stores so without end, warp W (4: same sub-core, 1: another) runs 16 X in a chain, round by round.
"""

from ssmsim.microbenchmarks.case import Loop, Zeros, i32

KINDS = ("ex2", "popc", "i2f", "shfl", "lds", "fmul")
COUNTS = (0, 1, 2, 4, 8)
LOOPS = [
    Loop(
        f"before.{count}.{kind}",
        f"before_{kind}_{count}",
        1,
        shared=32768,
        args=(Zeros(1 << 12),),
        replay=kind in ("ex2", "shfl") and count == 4,
    )
    for kind in KINDS
    for count in COUNTS
] + [
    Loop(
        f"other.{kind}.{warp}.{stores}",
        f"other_{kind}",
        16,
        threads=160,
        shared=32768,
        args=(Zeros(1 << 12), i32(warp), i32(stores)),
    )
    for kind in KINDS
    for warp in (1, 4)
    for stores in (0, 64)
]
