"""Queue depths: cycles until the clock can be read after K memory instructions issued back to back."""

from ssmsim.microbenchmarks.case import Loop, Zeros, u32

DEPTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24)
LOOPS = [
    Loop(
        f"{name}.{depth}.{threads // 32}.stride{stride}",
        f"{name}_{depth}",
        1,
        threads=threads,
        shared=32768,
        args=(Zeros(1 << 20), u32(stride)),
        rounds=(4, 24),
    )
    for name, strides in (("sts", (4, 128)), ("lds", (4, 128)), ("ldg", (4,)), ("stg", (4,)), ("ex2", (4,)))
    for stride in strides
    for depth in DEPTHS
    for threads in (32, 512)
] + [
    Loop(
        f"stg16.{depth}.{warps}.{blocks}",
        f"stg16_{depth}",
        1,
        threads=32 * warps,
        blocks=blocks,
        shared=32768,
        args=(Zeros(132 * 16 * 16384), u32(16)),
        rounds=(4, 24),
    )
    for blocks in (1, 132)
    for warps in (1, 4, 8, 16)
    for depth in DEPTHS
]
