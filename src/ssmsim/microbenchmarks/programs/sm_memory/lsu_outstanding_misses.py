"""A load from shared memory behind copies and loads whose data are far: how many of these the SM's unit takes on.

PLACE.KIND.K.WARPS: cycles per round of K instructions, one LDS, and 320 FMULs in a row that begin with what it loads; the
far data are awaited behind them. roomy, tight: from DRAM, through an L1 of 53 and of 21 KB. cg16, ca16, ca4: LDGSTS of 4,
4 and 1 lines; ca4_all: a sector, four of a line in a row, the same for all warps; mix: cg16 and such in
turn. ldg, ldg128: loads of 1 and 4 lines. none: the LDS alone. In l2 and dram the places of warps 8 to 15 in shared memory
overlap others': copies past the L1 that a later one replaces are dropped.
"""

from ssmsim.microbenchmarks.case import Loop, Unrecorded, u32

MB = 1 << 20
KINDS = ("cg16", "ca16", "ca4", "ca4_all", "mix", "ldg", "ldg128")
FEW, ALL = (8, 16, 24), (4, 8, 12, 13, 14, 15, 16, 24)
PLACES = {  # bytes, cold, KB of shared memory (170 leaves 53 KB of L1, 200 leaves 21), depths
    "l2": (8 * MB, False, 100, FEW),
    "dram": (256 * MB, True, 100, FEW),
    "roomy": (256 * MB, True, 170, ALL),
    "tight": (256 * MB, True, 200, ALL),
}
REPLAYED = (
    "l2.none.1.16", "dram.cg16.24.8", "dram.ca4.24.16", "l2.mix.24.16", "l2.ca16.24.16", "roomy.ldg128.12.16",
    "tight.ca16.16.16", "tight.ca4.14.16", "tight.ldg.24.16", "tight.ldg128.12.16",
)  # fmt: skip


def case(place: str, kind: str, count: int, warps: int) -> Loop:
    region, cold, shared, _ = PLACES[place]
    name = f"{place}.{kind}.{count}.{warps}"
    return Loop(
        name,
        f"behind_{kind}_{count}",
        1,
        threads=32 * warps,
        shared=shared << 10,
        args=(Unrecorded(region), u32(region - 1), u32(shared << 10)),
        rounds=(4, 20),
        replay=name in REPLAYED,
        cold=cold,
    )


LOOPS = [case("l2", "none", 1, warps) for warps in (4, 8, 16)] + [
    case(place, kind, count, warps)
    for place, (*_, depths) in PLACES.items()
    for kind in KINDS
    for count in depths
    for warps in (4, 8, 16)
    if (kind != "ldg128" or count <= 12) and (depths == FEW or kind in ("ca16", "ca4", "ldg", "ldg128"))
]
