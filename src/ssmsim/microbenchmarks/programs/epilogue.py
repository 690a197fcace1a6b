"""Loads from shared memory one after the other by all warps of all SMs, amid bursts of stores by each in turn.

PLACE.KIND.KB.S.PERIOD: cycles per round of PERIOD parts with 32 loads per warp, and in one of them S stores of 512
bytes; a quarter of the 16 warps a quarter of a round after the one before. KIND: an LDGSTS per part, awaited six later,
past the L1 (cg16) or through it (ca16, ca4; ca4_all: a sector, the same for all warps). KB: shared memory of the block;
the L1 has the rest of 256. PLACE: where the lines are that copies read and stores write.
"""

from ssmsim.microbenchmarks.case import Loop, Unrecorded, i32, u64

PLACES = {"l2": 16 << 20, "dram": 4 << 30}


def case(place: str, kind: str, kilobytes: int, stores: int, period: int) -> Loop:
    return Loop(
        f"{place}.{kind}.{kilobytes}.{stores}.{period}",
        f"epilogue_{kind}_{stores}",
        32 * period,
        threads=512,
        blocks=132,
        shared=kilobytes << 10,
        args=(Unrecorded(PLACES[place]), Unrecorded(PLACES[place]), u64(PLACES[place] - 1), i32(period)),
        rounds=(2, 8),
        cold=True,
    )


LOOPS = [
    case(place, kind, kilobytes, stores, period)
    for place in PLACES
    for kind in ("alone", "cg16", "ca16", "ca4", "ca4_all")
    for kilobytes in (100, 200)
    for stores, periods in ((0, (16,)), (4, (4,)), (16, (8, 12, 16, 32)))
    for period in periods
]
