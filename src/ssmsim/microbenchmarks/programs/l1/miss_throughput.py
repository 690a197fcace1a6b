"""Loads of one SM that miss the L1 and hit the L2, by the lines and sectors of an instruction and by warps in flight.

KIND.WARPS: cycles per load with so many warps, each with one load in flight at random places of 8 MB that the L2 holds.
line: one line, wide: four lines whole; rows4, rows8, rows32: two, one and one sector of so many lines; pairs16: two
sectors of 16 lines; lines8: two sectors of 8 lines.
"""

from ssmsim.microbenchmarks.case import Loop, Zeros, u32

BYTES = 8 << 20
SECTORS = {"line": 4, "wide": 16, "rows4": 8, "rows8": 8, "rows32": 32, "pairs16": 32, "lines8": 16}
LOOPS = [
    Loop(
        f"{kind}.{warps}",
        f"crowd_{kind}",
        8,
        threads=32 * warps,
        args=(Zeros(BYTES), u32(BYTES)),
        rounds=(20, 120),
        bytes_per_operation=32 * sectors,
        replay=True,
    )
    for kind, sectors in SECTORS.items()
    for warps in (1, 4, 16, 32)
]
