"""Groups of copies from L2, one per round, of which the last few may be on their way: when DEPBAR lets the warp go on.

KIND.LEFT.DELAY.WARPS: cycles per round of KIND, LDGDEPBAR and DEPBAR.LE SB0, LEFT. cg16: an LDGSTS of four lines past the
L1, x2: two; ca4: of one line through it; none: no copy. bar: a barrier of the block before the LDGDEPBAR. DELAY: turns of a
loop of 29 cycles in each round.

times: cycles between rounds of one warp (cg16, no delay), by LEFT.
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import Loop, Random, i32, u32, u64

REGION, ROUNDS = 1 << 20, 120
CASES = [(kind, left, 0, warps) for kind in ("cg16", "cg16x2", "ca4", "cg16_bar", "cg16x2_bar")
         for left in (0, 1, 2, 4, 12) for warps in (1, 8)]  # fmt: skip
CASES += [
    (kind, left, delay, 1)
    for kind, left in (("cg16", 1), ("cg16", 2), ("cg16", 12), ("none", 12))
    for delay in (2, 4, 8)
]
LOOPS = [
    Loop(
        f"{kind}.{left}.{delay}.{warps}",
        f"drain_{kind}_{left}",
        1,
        threads=32 * warps,
        shared=132 << 10,
        args=(Random(2 * REGION), u32(REGION - 1), i32(delay)),
        rounds=(20, 100),
    )
    for kind, left, delay, warps in CASES
]


def times(session: Any) -> dict[str, list[int]]:
    out, base = session.buffer(4 * ROUNDS), session.buffer(2 * REGION)
    found = {}
    for left in (0, 1, 2, 4, 12, 30):
        for _ in range(2):  # the second finds its lines in L2
            session.launch(f"times_{left}", 1, 32, u64(out), i32(ROUNDS), u64(base), u32(REGION - 1), shared=132 << 10)
            session.gpu.synchronize()
        found[str(left)] = np.diff(session.gpu.download(out, ROUNDS, u32)).tolist()
    return found


MEASUREMENTS = [times]
