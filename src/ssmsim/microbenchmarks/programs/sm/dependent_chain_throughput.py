"""Series of short dependent chains by several warps of a sub-core, through all pipes: what the order of issue makes of them.

exps_COUNT.WARPS: cycles per round, in which each warp works out COUNT decays, exp2(min(a - b, 0)).
"""

from ssmsim.microbenchmarks.case import Loop, f32

LOOPS = [
    Loop(f"exps_{count}.{warps}", f"exps_{count}", count, threads=32 * warps, args=(f32(0.5),),
         replay=warps >= 8 and (count == 4 or (count, warps) == (16, 20)))
    for count in (1, 4, 16)
    for warps in (1, 4, 8, 12, 16, 20)
]  # fmt: skip
