"""A load from shared memory behind copies and loads whose data are far: how many of these the SM's unit takes on.

PLACE.KIND.K.WARPS: cycles per round of K instructions, one LDS, and 320 FMULs in a row that begin with what it loads; the
far data are awaited behind them. tight: from DRAM, through an L1 of 21 KB. cg16, ca16, ca4: LDGSTS of 4, 4 and 1 lines (cg16_8: 8 lanes, 1 line); ldg, ldg128: loads
of 1 and 4. none: the LDS alone.
"""

from ssmsim.microbenchmarks.case import Loop, Unrecorded, u32

MB = 1 << 20
DEPTHS = (1, 2, 4, 8, 12, 13, 14, 15, 16, 20, 24)
KINDS = ("cg16", "cg16_8", "ca16", "ca4", "ca4_8", "ca4_q", "ca4_all", "mix", "ldg", "ldg128")
PLACES = {  # bytes, cold, KB of shared memory: 170 leaves 53 KB of L1, 200 leaves 21
    "l2": (8 * MB, False, 48),
    "dram": (256 * MB, True, 48),
    "roomy": (256 * MB, True, 170),
    "tight": (256 * MB, True, 200),
}
REPLAYED = ()


def case(place: str, kind: str, count: int, warps: int) -> Loop:
    region, cold, shared = PLACES[place]
    name = f"{place}.{kind}.{count}.{warps}"
    return Loop(
        name,
        f"behind_{kind}_{count}",
        1,
        threads=32 * warps,
        shared=shared << 10,
        args=(Unrecorded(region), u32(region - 1)),
        rounds=(4, 20),
        replay=name in REPLAYED,
        cold=cold,
    )


LOOPS = [case("l2", "none", 1, warps) for warps in (1, 4, 8, 16)] + [
    case(place, kind, count, warps)
    for place in PLACES
    for kind in KINDS
    for count in DEPTHS
    for warps in (1, 4, 8, 16)
    if kind != "ldg128" or count <= 12
]
