"""A load, then a store of what it brought, round by round, from every SM: what stores cost the loads behind them.

READ.WRITE.WARPS: cycles per round; read and write regions of 1 MB stay in L2, of 2 GB do not. none: without stores.
"""

from ssmsim.microbenchmarks.case import Loop, Zeros, u64

MB, GB = 1 << 20, 1 << 30
REGIONS = {"l2": MB, "dram": 2 * GB}
LOOPS = [
    Loop(
        f"{read}.{write}.{warps}.{blocks}",
        f"copies_{'none' if write == 'none' else 'store'}",
        1,
        threads=32 * warps,
        blocks=blocks,
        args=(Zeros(4 * GB), u64(REGIONS[read] - 1), u64(REGIONS.get(write, MB) - 1)),
        rounds=(300, 1500),
    )
    for read in REGIONS
    for write in ("none", *REGIONS)
    for warps in (1, 4, 8, 16)
    for blocks in (1, 132)
]
