"""Loads that hit in the L2 amid additions to other lines of it: how long they wait for slices that add.

KIND.ADDS.WARPS.PACE: cycles per round in which each of so many warps of all SMs adds to ADDS lines, goes through a chain
of PACE FMULs and loads a line. own: lines of each warp's own, all over 4 MB; same: all warps go through the same lines.
"""

from ssmsim.microbenchmarks.case import Loop, Zeros, i32, u32

REGION = 4 << 20
REPLAYED = ("own.1.8.64", "own.4.8.0", "own.8.8.0", "own.8.8.64", "own.4.16.256", "same.2.8.256", "same.1.8.64")


def _loop(kind: str, adds: int, warps: int, pace: int) -> Loop:
    name, args = f"{kind}.{adds}.{warps}.{pace}", (Zeros(2 * REGION), u32(adds), u32(kind == "own"), i32(pace))
    return Loop(name, "amid", 1, threads=32 * warps, blocks=132, args=args, rounds=(8, 40), replay=name in REPLAYED)


LOOPS = [
    *(_loop("own", 0, warps, 0) for warps in (4, 8, 16)),
    *(_loop("own", adds, 8, pace) for adds in (1, 2, 4, 8) for pace in (0, 64, 256)),
    *(_loop("own", adds, 16, 256) for adds in (1, 2, 4)),
    *(_loop("same", adds, 8, pace) for adds in (1, 2, 4) for pace in (64, 256, 1024)),
]
