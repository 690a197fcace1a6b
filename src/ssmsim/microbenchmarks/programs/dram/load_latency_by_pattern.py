"""Loads from DRAM by all SMs, each warp with one in flight: in step through memory, or at random places.

KIND.WARPS: cycles per load with so many warps per SM, from an L2 that holds clean lines of other memory. step: 512
bytes, all warps side by side; wide: 512 bytes, each at a place of its own; line: a line; lines8: two sectors of 8 lines
each. Places are independent ones of 4 GB. hits.KIND: one warp that finds 64 KB in L2, for the loop's own cycles.
"""

from ssmsim.microbenchmarks.case import Loop, Unrecorded, u64

FAR, NEAR = 4 << 30, 64 << 10
BYTES = {"step": 512, "wide": 512, "line": 128, "lines8": 512}
LOOPS = [
    Loop(
        f"{kind}.{warps}",
        f"crew_{kind}",
        1,
        threads=32 * warps,
        blocks=132,
        args=(Unrecorded(FAR), u64(FAR - 1)),
        rounds=(60, 260),
        bytes_per_operation=moved,
        replay=warps in (1, 4, 16),
        cold=True,
    )
    for kind, moved in BYTES.items()
    for warps in (1, 4, 8, 16, 32)
] + [
    Loop(
        f"hits.{kind}",
        f"crew_{kind}",
        1,
        args=(Unrecorded(NEAR), u64(NEAR - 1)),
        rounds=(1000, 5000),
        bytes_per_operation=moved,
        replay=True,
    )
    for kind, moved in BYTES.items()
]
