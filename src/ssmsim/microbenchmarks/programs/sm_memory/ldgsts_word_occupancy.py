"""LDGSTS of 4 bytes a lane through the L1, eight in a row: what each takes when there is nothing between them.

KIND.LANES: cycles per round of 8 copies by each of 16 warps, from the L1, from L2, or zeros; with one LDGDEPBAR and three
LDS that are on in no lane, a cycle each. same, own: LANES in a row copy one word, to one place or to one each; all_same: from
L2, 32 bytes apart, and all warps the same.
"""

from ssmsim.microbenchmarks.case import Loop, Zeros, u32


def case(kind: str, lanes: int, replay: bool) -> Loop:
    return Loop(
        f"{kind}.{lanes}",
        f"rows_{kind}_{lanes}",
        8,
        threads=512,
        shared=132 << 10,
        args=(Zeros(1 << 20), u32(1 << 20)),
        rounds=(20, 100),
        replay=replay,
    )


LOOPS = [case(kind, lanes, lanes == 2 and kind != "zero") for kind in ("hit", "miss", "zero") for lanes in (2, 32)] + [
    case(kind, lanes, lanes == 4 and kind != "hit_own")
    for kind in ("hit_same", "hit_own", "miss_same", "all_same")
    for lanes in (1, 2, 4, 32)
]
