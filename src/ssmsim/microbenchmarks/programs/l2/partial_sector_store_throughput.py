"""Stores that write sectors in part: how long slices and SMs take for them, beside stores of whole sectors.

BYTES.STRIDE.SMS.WARPS: cycles per store of 32 lanes, each BYTES at STRIDE from the next, by so many warps of one SM or of
all. 16.16 writes whole lines; 32.STRIDE is two stores, of the two halves of each sector. cold: the L2 holds other lines.
"""

from ssmsim.microbenchmarks.case import Loop, Zeros, u32

REGION = 16 << 20
SHAPES = ((4, 4), (16, 16), (4, 32), (16, 32), (4, 128), (16, 128), (32, 32), (32, 128))
LOOPS = [
    Loop(
        f"{width}.{stride}.{'all' if blocks > 1 else 1}.{warps}" + (".cold" if cold else ""),
        f"parts_{width}",
        1,
        threads=32 * warps,
        blocks=blocks,
        args=(Zeros(REGION), u32(stride), u32(REGION - 1)),
        bytes_per_operation=32 * width,
        rounds=(4, 28) if cold else (20, 120),
        replay=(warps == 4 and blocks > 1) or (warps == 16 and blocks == 1),
        cold=cold,
    )
    for width, stride in SHAPES
    for blocks, warps, cold in ((1, 1, False), (1, 16, False), (132, 4, False), (132, 16, False), (132, 4, True))
]
