"""Latency of a global load by its width: one lane or 32, 4 to 16 bytes each, from L1, from L2 and from DRAM.

PLACE.WIDTH.WARPS.BLOCKS: cycles per round; the address of each load waits for the one before.
"""

from ssmsim.microbenchmarks.case import Loop, Zeros, u64

KB, GB = 1 << 10, 1 << 30
PLACES = {"l1": ("ca", 4 * KB), "l2": ("cg", 1024 * KB), "l2ca": ("ca", 1024 * KB), "dram": ("cg", 2 * GB)}
WIDTHS = ("lane", "w1", "w2", "w4")
LOOPS = [
    Loop(
        f"{place}.{width}.{warps}.{blocks}",
        f"widths_{policy}_{width}",
        1,
        threads=32 * warps,
        blocks=blocks,
        args=(Zeros(region), u64(region - 1)),
        rounds=(300, 1500),
        replay=blocks == warps == 1 and place in ("l1", "l2"),
    )
    for place, (policy, region) in PLACES.items()
    for width in WIDTHS
    for warps in (1, 4)
    for blocks in (1, 132)
]
