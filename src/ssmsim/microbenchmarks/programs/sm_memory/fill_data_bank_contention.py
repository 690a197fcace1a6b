"""Data that arrive from L2 while shared memory is read: do copies and fills take turns with loads at the data banks?

NAME.M: cycles per round of 4 copies or loads of 512 B per warp and M conflict-free 128-byte loads from shared memory.
"""

from ssmsim.microbenchmarks.case import Loop, Zeros, u32

KINDS = ("none", "cg16", "ca16", "ldg", "ldg_cg")
LOOPS = [
    Loop(
        f"{kind}.{count}",
        f"fills_{kind}_{count}",
        1,
        threads=512,
        shared=132 << 10,
        args=(Zeros(1 << 20), u32(1 << 20)),
        replay=kind in ("cg16", "ldg"),
    )
    for kind in KINDS
    for count in (0, 8, 16, 32)
]
