"""What an LDGSTS takes of the SM's unit when there is nothing between them, and what an LDGDEPBAR takes among them.

PLACE.KIND.EACH.COUNT.WARPS: cycles per round of COUNT rows of 16 copies, with an LDGDEPBAR behind EACH of them (0: none); the
cost of one is the difference between two counts. l1, l2: where the data are. ca16, ca4: of four lines and of one, through
the L1. four, flat: of 4 bytes from four lines, which four in a row share, to places in four rows of banks and in one.
cg8: of one line past the L1, by eight lanes. The compiler puts three LDS that are on in no lane before each row.
"""

from ssmsim.microbenchmarks.case import Loop, Random, i32, u32

MB = 1 << 20
PLACES = {"l1": 4 << 10, "l2": 8 * MB}
KINDS = ("ca16", "ca4", "four", "flat", "cg8")
REPLAYED = ("l1.ca16.4.4.16", "l1.ca4.4.4.16", "l1.flat.0.4.16", "l2.ca16.0.4.16", "l2.ca4.8.4.16", "l2.four.4.4.16",
            "l2.cg8.0.4.16")  # fmt: skip
LOOPS = [
    Loop(
        f"{place}.{kind}.{each}.{count}.{warps}",
        f"commits_{kind}_{each}",
        16 * count,
        threads=32 * warps,
        shared=132 << 10,
        args=(Random(region + MB), u32(region - 1), i32(count)),
        rounds=(4, 20),
        replay=f"{place}.{kind}.{each}.{count}.{warps}" in REPLAYED,
    )
    for place, region in PLACES.items()
    for kind in KINDS
    for each in (0, 8, 4)
    for count in (1, 2, 4)
    for warps in (8, 16)
]
