"""Instruction supply: cycles per instruction of straight-line FFMA code looped, by length, warps and SMs; and run cold."""

from typing import Any

from ssmsim.microbenchmarks.case import Loop, f32, i32, u64
from ssmsim.microbenchmarks.gpu import RECORD

LENGTHS = (64, 128, 192, 256, 384, 512, 1024, 1536, 2048, 3072, 4096, 6144, 7168, 8192, 10240, 12288, 16384, 32768)


def cold(session: Any) -> dict[str, Any]:
    """Cycles of one pass: first launch ever of that kernel, and again at once. One warp; lengths in instructions."""
    out = session.buffer(1 << 12)
    found: dict[str, Any] = {}
    for length in LENGTHS:
        found[str(length)] = []
        for _ in range(3):
            session.launch(f"code_{length}", 1, 32, u64(out), i32(1), f32(1), i32(0))
            session.gpu.synchronize()
            record = session.gpu.download(out, 1, RECORD)[0]
            found[str(length)].append(int(record["end"] - record["start"]))
    return found


MEASUREMENTS = [cold]
LOOPS = [
    Loop(f"code{length}.{threads // 32}.{blocks}.skew{skew}", f"code_{length}", length, threads=threads, blocks=blocks,
         args=(f32(1), i32(skew)), rounds=(2, 6) if length > 1000 else (8, 40),
         replay=blocks == 1 and skew == 0 and threads in (32, 512) and length <= 4096)
    for length in LENGTHS
    for threads, blocks, skew in ((32, 1, 0), (128, 1, 0), (512, 1, 0), (512, 1, 997), (32, 132, 0), (512, 132, 0))
]  # fmt: skip
