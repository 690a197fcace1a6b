"""How many copies an SM has on their way: how long a load from shared memory waits behind them.

KIND.K: cycles per round of K instructions per warp, eight warps, an LDS, and 960 FMULs in a row that begin with what it
loads; the copies are awaited behind them. From DRAM: cg16, ca4: LDGSTS of 4 and 1 lines; ca4_all, ca16_all: the same
for all warps; one_in_4, one_in_2: of so many a cg16, the others ca4_all. close: ca4_all from L2, in turn with
cg16 (close_far). hit: ca4 of lines in the L1, after
one far copy of each warp (hit_after_all) or of one warp (hit_after_one).
"""

from ssmsim.microbenchmarks.case import Loop, Unrecorded, u32

KINDS = (
    "cg16", "ca4", "ca4_all", "ca16_all", "one_in_4", "one_in_2", "close", "close_far", "hit", "hit_after_all", "hit_after_one",
)  # fmt: skip
DEPTHS = (1, 8, 16, 24, 28, 31, 32, 33, 34, 35, 36, 37, 39, 40, 41, 48, 64)
REPLAYED = ()
LOOPS = [
    Loop(
        f"{kind}.{count}",
        f"pending_{kind}_{count}",
        1,
        threads=256,
        shared=204 << 10,
        args=(Unrecorded(256 << 20), u32((256 << 20) - 1), Unrecorded(128 << 10)),
        rounds=(40, 72) if "close" in kind else (4, 20),
        replay=f"{kind}.{count}" in REPLAYED,
        cold=True,
    )
    for kind in KINDS
    for count in DEPTHS
]
