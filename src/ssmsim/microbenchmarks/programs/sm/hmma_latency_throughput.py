"""HMMA: latency of a chain on the accumulator, rate by warps per SM, and overlap with FFMA."""

from ssmsim.microbenchmarks.case import Loop, u32

LOOPS = (
    [
        Loop(
            f"{name}.chain.{threads // 32}",
            f"{name}_chain",
            16,
            threads=threads,
            args=(u32(0x3F803F80), u32(0x3F803F80)),
            replay=threads == 32,
        )
        for name in ("bf16", "bf16k8", "tf32")
        for threads in (32, 128, 256, 512)
    ]
    + [
        Loop(
            f"{name}.rate.{threads // 32}",
            f"{name}_rate",
            16,
            threads=threads,
            args=(u32(0x3F803F80), u32(0x3F803F80)),
            replay=threads in (32, 128, 512),
        )
        for name in ("bf16", "bf16k8", "tf32")
        for threads in (32, 64, 128, 256, 512, 1024)
    ]
    + [
        Loop(
            f"bf16_ffma.rate.{threads // 32}",
            "bf16_ffma_rate",
            32,
            threads=threads,
            args=(u32(0x3F803F80), u32(0x3F803F80)),
            replay=threads == 512,
        )
        for threads in (128, 256, 512)
    ]
)
