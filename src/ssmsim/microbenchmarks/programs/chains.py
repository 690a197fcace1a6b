"""Series of short dependent chains by several warps of a sub-core: what waits add up to that the assembler wrote.

exps_COUNT.WARPS: cycles per round, in which each warp works out COUNT decays; guards_BYTES.WARPS: four loads behind guards.
"""

from ssmsim.microbenchmarks.case import Loop, Zeros, f32, i32

LOOPS = [
    Loop(f"exps_{count}.{warps}", f"exps_{count}", count, threads=32 * warps, args=(f32(0.5),), replay=True)
    for count in (1, 4, 16)
    for warps in (1, 4, 8, 12, 16, 20)
]
LOOPS += [
    Loop(
        f"guards_{size}.{warps}",
        f"guards_{size}",
        4,
        threads=32 * warps,
        args=(Zeros(4096), *[i32(1 << 20)] * 4),
        replay=True,
    )
    for size in (4, 8)
    for warps in (1, 4, 8, 12, 16, 20)
]
