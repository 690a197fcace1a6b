"""Instruction supply: cycles per instruction of straight-line FFMA code looped, by length, warps and SMs; run cold."""

from typing import Any

from ssmsim.microbenchmarks.case import Loop, f32, i32, u64
from ssmsim.microbenchmarks.gpu import RECORD
from ssmsim.microbenchmarks.programs.l2.latency_bandwidth import GPC, sms

LENGTHS = (64, 128, 192, 256, 384, 512, 1024, 1536, 2048, 3072, 4096, 6144, 7168, 8192, 10240, 12288, 16384, 32768)


def cold(session: Any) -> dict[str, Any]:
    """Cycles of one pass: first launch ever of that kernel, and again at once. One warp; lengths in instructions."""
    out = session.buffer(1 << 12)
    found: dict[str, Any] = {}
    for length in LENGTHS:
        found[str(length)] = []
        for _ in range(3):
            session.launch(f"code_{length}", 1, 32, u64(out), i32(1), f32(1))
            session.gpu.synchronize()
            record = session.gpu.download(out, 1, RECORD)[0]
            found[str(length)].append(int(record["end"] - record["start"]))
    return found


MEASUREMENTS = [cold]
LOOPS = [
    Loop(
        f"code{length}.{threads // 32}.{blocks}",
        f"code_{length}",
        length,
        threads=threads,
        blocks=blocks,
        args=(f32(1),),
        rounds=(2, 6) if length > 1000 else (8, 40),
        replay=blocks == 1 and threads in (32, 512) and length in (64, 1024, 2048, 4096),
    )
    for length in LENGTHS
    for threads, blocks in ((32, 1), (128, 1), (512, 1), (32, 132), (512, 132))
] + [
    Loop(
        f"sharing{length}.{threads // 32}.{label}",
        f"on_{length}",
        length,
        threads=threads,
        blocks=132,
        shared=120 << 10,
        args=(f32(1), sms(*chosen)),
        rounds=(2, 6),
    )
    for length in (3072, 7168, 16384)
    for threads in (32, 512)
    for label, chosen in (
        ("1sm", (2,)),
        ("tpc", (2, 3)),
        ("2tpc", (2, 18)),
        ("2gpc", (2, 4)),
        ("gpc4", GPC[:4]),
        ("gpc8", GPC[:8]),
        ("gpc", GPC),
        ("8gpc", tuple(range(0, 16, 2))),
        ("all", ()),
    )
]
