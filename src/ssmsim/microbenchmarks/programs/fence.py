"""Cycles of a fence alone and with a load, a copy to shared memory, a store or a reduction of its warp on the way."""

from ssmsim.microbenchmarks.case import Loop, Zeros, u32

REGION = 4 << 20

LOOPS = [
    Loop(
        f"{kind}_{what}.{warps}.{blocks}",
        f"{kind}_{what}",
        1,
        threads=32 * warps,
        blocks=blocks,
        shared=16384,
        args=(Zeros(REGION), u32(REGION)),
        replay=blocks == 1,
    )
    for kind in ("sc", "acqrel", "cta")
    for what in ("none", "load", "copy", "store", "red")
    for warps, blocks in ((1, 1), (4, 1), (4, 132))
]
