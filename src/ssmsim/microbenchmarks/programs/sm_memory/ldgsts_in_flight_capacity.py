"""How many copies an SM has on their way: how long a load from shared memory waits behind them.

KIND.K: cycles per round of K instructions per warp, eight warps, an LDS, and 960 FMULs in a row that begin with what it
loads; the copies are awaited behind them. cg16: LDGSTS of four lines past the L1, from DRAM; ca4_all: through the L1, eight
words of a sector, four lanes to a word; ca16_all: of 16 places again and again; both the same for all warps. one_in_4,
one_in_2: of so many a cg16, the others ca4_all; narrow: one_in_2, the cg16 of one line. close_far: cg16 from DRAM and
ca4_all from L2 in turn. hit: ca4 of lines in the L1, also after a far copy of each warp (hit_after_far).
"""

from ssmsim.microbenchmarks.case import Loop, Unrecorded, u32

KINDS = ("cg16", "ca4_all", "ca16_all", "one_in_4", "one_in_2", "narrow", "close_far", "hit", "hit_after_far")
DEPTHS = (1, 16, 24, 32, 33, 35, 36, 39, 40, 41, 48, 64)
REPLAYED = (
    "cg16.48", "ca4_all.32", "ca4_all.33", "one_in_4.35", "one_in_2.39", "one_in_2.64", "close_far.48", "hit_after_far.33",
)  # fmt: skip
REGION, NEAR = 256 << 20, 128 << 10
LOOPS = [
    Loop(
        f"{kind}.{count}",
        f"pending_{kind}_{count}",
        1,
        threads=256,
        shared=204 << 10,
        args=(Unrecorded(REGION), u32(REGION - 1), Unrecorded(NEAR)),
        rounds=(40, 72) if kind == "close_far" else (4, 20),
        replay=f"{kind}.{count}" in REPLAYED,
        cold=True,
    )
    for kind in KINDS
    for count in DEPTHS
]
