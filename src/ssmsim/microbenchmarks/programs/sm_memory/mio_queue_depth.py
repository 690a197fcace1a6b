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
]
