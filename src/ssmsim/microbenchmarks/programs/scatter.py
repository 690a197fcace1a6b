"""The loads of `crowd` by all SMs at random places of 1 GB, so from DRAM: how long the slowest of their lines takes under load.

KIND.WARPS: cycles per load with so many warps per SM, each with one load in flight; kinds as in `crowd`.
"""

from ssmsim.microbenchmarks.case import Loop, Zeros, u32
from ssmsim.microbenchmarks.programs.crowd import SECTORS

SOURCE = "crowd"
BYTES = 1 << 30
LOOPS = [
    Loop(
        f"{kind}.{warps}",
        f"crowd_{kind}",
        8,
        threads=32 * warps,
        blocks=132,
        args=(Zeros(BYTES), u32(BYTES)),
        rounds=(8, 24),
        bytes_per_operation=32 * SECTORS[kind],
    )
    for kind in ("line", "wide", "rows4", "rows8", "lines8")
    for warps in (8, 16, 32)
]
