"""LDGSTS whose completion arrives at an mbarrier: cycles until the wait for its phase ends, beside groups of copies.

noinc, inc.COPIES.WARPS: a round of so many copies of 16 bytes per thread, the arrival of all threads on their completion, and
the wait for the phase; inc: cp.async.mbarrier.arrive without .noinc, and a plain arrival. group: commit_group and wait_group in
their place; group_arrive: then also an arrival and the wait. arrivals(_inc).WARPS: arrivals of copies where none is on its way.
stream.WARPS: four copies per thread and round, a stage ahead of the wait.
"""

from ssmsim.microbenchmarks.case import Loop, Random, Zeros, i32, u32

ARCHITECTURE = "90a"
COPIES, WARPS = (0, 1, 2, 4, 8), (1, 4, 16)

LOOPS = [
    Loop(
        f"{kind}.{copies}.{warps}", f"{kind}_{copies}", 1, threads=32 * warps, shared=65536,
        args=(Zeros(1 << 20), i32(1 << 16)), replay=kind in ("noinc", "inc") and copies in (0, 1, 4) and warps in (1, 4),
    )
    for kind in ("noinc", "inc", "group", "group_arrive")
    for copies in COPIES
    for warps in WARPS
]  # fmt: skip
LOOPS += [
    Loop(f"{kind}.{warps}", kind, each, threads=32 * warps, replay=warps in (1, 4))
    for kind, each in (("arrivals", 4), ("arrivals_inc", 1))
    for warps in (1, 2, 4, 8, 16)
]
LOOPS += [
    Loop(
        f"stream.{warps}", "stream", 4, threads=32 * warps, shared=132 << 10, args=(Random(16 << 20), u32(16 << 20)),
        bytes_per_operation=512, replay=warps == 16,
    )
    for warps in (4, 8, 16)
]  # fmt: skip
