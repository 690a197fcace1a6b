"""Additions in the L2 by all SMs at once: to the same words, to words of one slice, to words all over the L2.

KIND.LANES.PLACES.WARPS: cycles per addition of so many lanes by each of so many warps per SM; warp w adds to place w
mod PLACES, places lie 128 bytes apart. 8 lanes are a sector, 32 a line; two lines are of one slice, eight of two.
sectors.PLACES: of 8 lanes, places 32 bytes apart. all: every warp moves on, through 4 MB.
"""

from ssmsim.microbenchmarks.case import Loop, Zeros, u32

REGION = 4 << 20


def _loop(name: str, kind: str, lanes: int, places: int, warps: int, stride: int = 128, move: int = 0) -> Loop:
    numbers = (places, stride, lanes, move, REGION - 1)
    return Loop(name, f"adds_{kind}", 1, threads=32 * warps, blocks=132, args=(Zeros(REGION), *map(u32, numbers)),
                bytes_per_operation=4 * lanes, replay=kind == "red" and places != 64)  # fmt: skip


LOOPS = [
    *(_loop(f"{kind}.{lanes}.1.{warps}", kind, lanes, 1, warps)
      for kind in ("red", "atom") for lanes in (1, 8, 32) for warps in (1, 4)),
    *(_loop(f"red.{lanes}.{places}.4", "red", lanes, places, 4) for lanes in (8, 32) for places in (2, 4, 8, 16, 64)),
    *(_loop(f"sectors.{places}", "red", 8, places, 4, stride=32) for places in (2, 4, 8)),
    *(_loop(f"all.{lanes}.{warps}", "red", lanes, REGION // 128, warps, move=132 * warps * 128)
      for lanes in (8, 32) for warps in (4, 16)),
]  # fmt: skip
