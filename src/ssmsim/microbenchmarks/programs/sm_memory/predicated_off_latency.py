"""Accesses that are on in no lane: what they take, and when what waits for them goes on.

KIND.COUNT.WARPS: cycles per round of COUNT accesses whose guard is false in all lanes, waited for: loads by an instruction
that uses them, stores by a MEMBAR of the block, copies by LDGDEPBAR and DEPBAR. none: the MEMBAR alone.
WARPS: those that take part: 0_4_8_12 are of one sub-core, all are 16.
"""

from ssmsim.microbenchmarks.case import Loop, Unrecorded, i32, u32

KINDS = ("lds32", "lds128", "ldsm4", "ldg32", "ldg128", "sts32", "sts128", "stg32", "stg128", "ca4", "ca16", "cg16")
REPLAYED = ("sts128.16.0", "sts128.16.0_4_8_12", "stg128.16.0_4_8_12", "ca16.1.0")


def loop(kind: str, count: int, warps: tuple[int, ...]) -> Loop:
    who = "_".join(str(w) for w in warps) if len(warps) < 16 else "all"
    name = f"{kind}.{count}.{who}"
    return Loop(
        name,
        f"off_{kind}_{count}",
        count,
        threads=512,
        shared=65536,
        args=(Unrecorded(1 << 20), i32(0), u32(sum(1 << w for w in warps))),
        rounds=(20, 100),
        replay=name in REPLAYED,
    )


LOOPS = [
    loop(kind, count, warps)
    for kind, counts in (*((kind, (1, 4, 16)) for kind in KINDS), ("none", (1,)))
    for count in counts
    for warps in ((0,), (0, 4, 8, 12), tuple(range(16)))
]
