"""Fences that order stores to shared memory before what the tensor cores read: MEMBAR of the block, FENCE.VIEW.ASYNC.

BEFORE.FENCE.WARPS: cycles per round of BEFORE, FENCE and a barrier of the block. sts1, sts4: as many stores of 16
bytes a lane; bank1, bank4: of 4 bytes with 32 bank conflicts; lds4: such loads; stg: a store to global memory; copy: two
LDGSTS from L2, of which four are on their way; word: of 4 bytes a lane,
through the L1; fetch: a load from L2. bar: no fence; membar; view, with the MEMBAR that the compiler puts before it; both.
"""

from ssmsim.microbenchmarks.case import Loop, Zeros, u32

BEFORE = ("none", "sts1", "sts4", "bank1", "bank4", "lds4", "stg", "copy", "word", "fetch")
FENCES = ("bar", "membar", "view", "both")
LOOPS = [
    Loop(
        f"{before}.{fence}.{warps}",
        f"proxy_{before}_{fence}",
        1,
        threads=32 * warps,
        shared=96 << 10,
        args=(Zeros(1 << 20), u32(1 << 20)),
        rounds=(20, 100),
        replay=warps == 4 and fence == "view" and before in ("none", "sts1", "sts4", "bank1"),
    )
    for before in BEFORE
    for fence in FENCES
    for warps in (4, 8, 16)
]
