"""Reads of one warp while all other SMs have loads from DRAM on their way: what a full slice keeps waiting.

read.LOADS.WARPS.HITS: cycles per round of one read from DRAM and HITS reads of the same line from L2, one after the other,
beside 131 SMs of so many warps with so many loads of 512 bytes in flight. What a read from L2 takes is the difference of
two cases over their HITS. The others' rounds outlast those of the one warp.
"""

from ssmsim.microbenchmarks.case import Loop, Unrecorded, i32, u32

LOADS = ((1, 1), (1, 4), (1, 8), (1, 16), (1, 32), (4, 16), (4, 32), (8, 32))  # loads, warps
CREW = {0: 4, 8: 16}  # hits -> rounds of the others meanwhile


LOOPS = [
    Loop(
        f"read.{loads}.{warps}.{hits}",
        f"beneath_{loads}",
        1,
        threads=32 * warps,
        blocks=132,
        args=(Unrecorded(4 << 30), i32(hits), i32(crew), i32(0), u32(0)),
        rounds=(20, 80),
        cold=True,
    )
    for loads, warps in LOADS
    for hits, crew in CREW.items()
]
