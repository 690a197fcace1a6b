"""Instruction supply: loops of straight FFMA code of lengths around what the SM's cache holds; how fast it stops to fit tells its ways.

Of W ways used longest ago first, every line beyond the cache's size makes a set miss in all of its W + 1 lines.
LENGTH.WARPS.BLOCKS, length in instructions of 16 bytes.
"""

from ssmsim.microbenchmarks.case import Loop, f32

LENGTHS = (1792, 1920, 1984, 2048, 2112, 2176, 2304, 2432, 2560, 3072)
LOOPS = [
    Loop(
        f"{length}.{warps}.{blocks}",
        f"code_{length}",
        length,
        threads=32 * warps,
        blocks=blocks,
        args=(f32(1),),
        rounds=(4, 20),
    )
    for length in LENGTHS
    for warps, blocks in ((1, 1), (4, 1), (12, 1), (1, 132), (12, 132))
]
