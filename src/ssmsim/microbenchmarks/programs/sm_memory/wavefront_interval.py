"""Accesses of one warp to shared memory, and of few: what a warp's own wavefronts take, and those of others between them.

KIND.COUNT.WARPS: cycles per round of COUNT accesses that are waited for: loads by an instruction that uses all of them,
stores by a MEMBAR of the block. _four: lanes so far apart that four share a bank. commit: LDGDEPBARs without copies,
waited for by DEPBAR. WARPS: those that take part: 0_4 are of one sub-core.
"""

from ssmsim.microbenchmarks.case import Loop, i32, u32

STRIDES = {"lds32": 4, "lds64": 8, "lds128": 16, "ldsm4": 16, "sts32": 4, "sts64": 8, "sts128": 16,
           "lds32_four": 16, "sts32_four": 16}  # fmt: skip
REPLAYED = ("lds64.1.0", "lds128.1.0", "lds128.4.0", "ldsm4.4.0", "lds32_four.16.0", "sts128.4.0", "sts32_four.16.0",
            "lds128.4.0_4", "sts128.16.0_4", "lds32_four.16.0_4", "commit.1.0")  # fmt: skip


def loop(kind: str, count: int, warps: tuple[int, ...]) -> Loop:
    name = f"{kind}.{count}.{'_'.join(str(w) for w in warps)}"
    return Loop(
        name,
        f"solo_{kind.removesuffix('_four')}_{count}",
        count,
        threads=512,
        shared=65536,
        args=(i32(STRIDES.get(kind, 4)), i32(512), u32(sum(1 << w for w in warps))),
        rounds=(20, 100),
        replay=name in REPLAYED,
    )


LOOPS = [
    loop(kind, count, warps)
    for kind in STRIDES
    for count in (1, 4, 16)
    for warps in ((0,), (0, 1), (0, 4), (0, 4, 8, 12))
]
LOOPS += [loop("commit", count, (0,)) for count in (1, 2)]
