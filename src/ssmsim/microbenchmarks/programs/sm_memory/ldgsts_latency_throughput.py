"""LDGSTS: time of one group from issue to wait, and rate from one SM and from all, bypassing L1 or through it."""

from ssmsim.microbenchmarks.case import Loop, Random, Zeros, i32, u32

LOOPS = (
    [
        Loop(
            f"{name}.latency.{threads // 32}",
            f"{name}_latency",
            1,
            threads=threads,
            shared=16384,
            args=(Zeros(1 << 20), i32(region)),
            replay=name == "cg16",
        )
        for name, region in (("cg16", 1 << 16), ("ca16", 1 << 13), ("ca4", 1 << 13))
        for threads in (32, 128, 512)
    ]
    + [
        Loop(
            f"{name}.rate.{region >> 10}KB.{threads // 32}.{blocks}",
            f"{name}_rate",
            8,
            threads=threads,
            blocks=blocks,
            shared=120 << 10,
            args=(Zeros(region * blocks + (1 << 16)), i32(region)),
            bytes_per_operation=32 * width,
            replay=blocks == 1 and threads == 512,
        )
        for name, width in (("ca16", 16), ("ca8", 8), ("ca4", 4))
        for region in (1 << 14,)
        for threads in (128, 512, 1024)
        for blocks in (1, 132)
    ]
    + [
        Loop(
            f"{name}.stream.{threads // 32}.{blocks}",
            f"{name}_stream",
            4,
            threads=threads,
            blocks=blocks,
            shared=132 << 10,
            args=(Random(16 << 20), u32(16 << 20)),
            bytes_per_operation=32 * width,
            replay=blocks == 1 and threads == 512,
        )
        for name, width in (("cg16", 16), ("ca16", 16), ("ca4", 4))
        for threads in (128, 256, 512, 1024)
        for blocks in (1, 132)
    ]
)
