"""When the registers that a memory instruction reads may be written again: as a sub-core hands it on, not when it is served.

KIND.K.WARPS: cycles per round of K instructions, each waiting for the registers of the one before, and a chain of 64 DFMA
in which the last of them drain. sts, sts64, sts128: stores of 4 to 16 bytes a lane with 32 bank conflicts; stg, stg128:
stores to global memory; cg16, ca4: LDGSTS from L2. none: the loop alone.
"""

from ssmsim.microbenchmarks.case import Loop, Zeros, i32, u32

KINDS = ("none", "sts", "sts64", "sts128", "stg", "stg128", "cg16", "ca4")
REPLAYED = ("sts.2.8", "sts64.4.4", "sts128.2.8", "stg.2.16", "stg128.4.8", "cg16.4.16", "ca4.8.8")
LOOPS = [
    Loop(
        f"{kind}.{count}.{warps}",
        f"handover_{kind}",
        1,
        threads=32 * warps,
        shared=64 << 10,
        args=(Zeros(1 << 24), u32((1 << 23) - 1), i32(count)),
        rounds=(4, 20),
        replay=f"{kind}.{count}.{warps}" in REPLAYED,
    )
    for kind in KINDS
    for count in (1, 2, 3, 4, 6, 8, 12)
    for warps in (1, 4, 8, 16)
]
