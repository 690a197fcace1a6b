"""Two kinds of instructions at the data banks of one SM: do they cost more together than each alone?

A.B: cycles per round of 4 A and 4 B from each of 16 warps, in turn; A.none: of 4 A alone. 512 bytes each, no conflicts
within an instruction; copies and loads from global memory come from L2.
"""

from itertools import combinations

from ssmsim.microbenchmarks.case import Loop, Zeros, u32

KINDS = ("lds128", "ldsm4", "sts128", "stsm4", "cg16", "ldg128", "stg128")
PAIRS = [(kind, "none") for kind in KINDS] + list(combinations(KINDS, 2))
LOOPS = [
    Loop(
        f"{first}.{second}",
        f"mix_{first}_{second}",
        1,
        threads=512,
        shared=132 << 10,
        args=(Zeros(1 << 20), u32(1 << 20)),
        replay=True,
    )
    for first, second in PAIRS
]
