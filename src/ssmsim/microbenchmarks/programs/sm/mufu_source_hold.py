"""When an instruction of the transcendental unit has read its source: long after it has issued, shortly before its result.

KIND.COUNT.WARPS: cycles per round, of COUNT instructions whose source is changed in place behind each, with all results
awaited at its end, in one warp or in 4, 8 and 16 of a block.
"""

from ssmsim.microbenchmarks.case import Loop, u32

KINDS = ("ex2", "rsq", "popc", "f2i")
REPLAYED = ("ex2.16.1", "ex2.16.8", "ex2.16.16", "popc.16.8", "f2i.16.1")
LOOPS = [
    Loop(
        f"{kind}.{count}.{warps}",
        f"sources_{kind}_{count}",
        1,
        threads=32 * warps,
        args=(u32(1),),
        replay=f"{kind}.{count}.{warps}" in REPLAYED,
    )
    for kind in KINDS
    for count in (4, 16)
    for warps in (1, 4, 8, 16)
]
