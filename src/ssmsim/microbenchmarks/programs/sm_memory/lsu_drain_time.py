"""Barriers and fences of the block beside accesses that fill the SM's unit for shared memory: how long they stop it.

WAVEFRONTS.STOP.WARPS: cycles per round of eight warps that load 1,024 wavefronts together, one, four or eight at a
time, while other warps pass a barrier of theirs eight times (bar) or fence twice each (membar). What a round takes
longer than beside none is what eight barriers cost the unit, or two fences of each warp. Those warps are done before
the round is.
"""

from ssmsim.microbenchmarks.case import Loop, i32

STOPS = ("none.0", "bar.1", "bar.4", "bar.8", "membar.1", "membar.4")
REPLAYED = ("four.none.0", "four.bar.4", "four.membar.4", "eight.none.0", "eight.bar.4", "eight.membar.4")
LOOPS = [
    Loop(
        f"{width}.{stop}",
        f"stops_{width}_{stop.replace('.', '_').removesuffix('_0')}",
        1024,
        threads=512,
        shared=16384,
        args=(i32(2 if "membar" in stop else 8),),
        rounds=(10, 40),
        replay=f"{width}.{stop}" in REPLAYED,
    )
    for width in ("one", "four", "eight")
    for stop in STOPS
]
