"""Instruction supply of several warps: straight code of dependent FFMAs, in a loop of N, by warps at different places of it.

N.WARPS.together|apart: cycles per round; apart: the warps of a sub-core are evenly spread over the loop. Four cycles per
FFMA if neither fetching nor the register ports (R4 is read twice by each: FFMA R9, R9, R4, R4) hold anything up.
"""

from ssmsim.microbenchmarks.case import Loop, f32, i32

LENGTHS, WARPS = (256, 512, 1536), (8, 16)
LOOPS = [
    Loop(
        f"{length}.{warps}.{name}",
        f"phases_{length}",
        length,
        threads=32 * warps,
        args=(f32(1.0), i32(apart * 4 * length // warps // 16)),
        rounds=(20, 100),
    )
    for length in LENGTHS
    for warps in WARPS
    for apart, name in enumerate(("together", "apart"))
]
