"""Two kinds of instructions at the data banks of one SM: do they cost more together than each alone?

A.B: cycles per round of 4 A and 4 B from each of 16 warps, in turn; A.none: of 4 A alone. 512 bytes each, no conflicts
within an instruction; copies and loads from global memory come from L2.
"""

from itertools import combinations

from ssmsim.microbenchmarks.case import Loop, Zeros, u32

KINDS = ("lds128", "ldsm4", "sts128", "stsm4", "cg16", "ldg128", "stg128")
BESIDE = ("off32", "bar", "commit", "shfl")  # an LDS that is on in no lane, a barrier of one warp, LDGDEPBAR, SHFL
ZEROS = (
    ("zero16", "none"),
    ("zero4", "none"),
    ("lds128", "zero16"),
    ("sts128", "zero16"),
    ("cg16", "zero16"),
    ("lds128", "zero4"),
)
PAIRS = [
    *((kind, "none") for kind in KINDS),
    *combinations(KINDS, 2),
    *(("lds128", other) for other in BESIDE),
    *((kind, other) for kind in ("sts128", "cg16") for other in ("off32", "bar")),
    *ZEROS,
]
LOOPS = [
    Loop(
        f"{first}.{second}",
        f"mix_{first}_{second}",
        1,
        threads=512,
        shared=132 << 10,
        args=(Zeros(1 << 20), u32(1 << 20)),
        replay=second != "bar",  # the engine knows barriers by number, not those of a register
    )
    for first, second in PAIRS
]
