"""Streams of a few MB through a cold L2, by the profiler's counts: what reads cost stores there, what stays dirty.

RATIO.SIZE: kernel stream_RATIO (reads, writes, depth) with streams of that size each, the caches emptied before.
"""

from collections.abc import Iterator
from typing import Any

from ssmsim.microbenchmarks.case import u64

MB = 1 << 20
RATIOS = ("1_1_4", "2_1_2", "0_1_4", "1_2_2", "7_1_1", "1_0_4")
SIZES = (8, 12, 16, 20, 24, 28, 32, 40)  # MB
GRID, THREADS = 264, 1024
KEPT = ("stream_1_1_4", "stream_0_1_4", "stream_2_1_2")  # kernels whose machine code is kept beside the launches
METRICS = [
    (
        "all",
        [
            "dram__bytes_read.sum",
            "dram__bytes_write.sum",
            "gpc__cycles_elapsed.max",
            "sm__cycles_active.max",
            "sm__cycles_active.avg",
            "lts__t_sectors_op_write.sum",
            "lts__t_sectors_srcunit_ltcfabric.sum",
        ],
    ),
]


def stream_bytes(size: int, depth: int, threads: int = GRID * THREADS) -> int:
    """Bytes of a stream of `size` that are moved: a thread leaves out a round that would end beyond it."""
    step = 16 * threads
    starts = range(size - (depth - 1) * step, 0, -depth * step)  # bytes from a round's first to the last that may start
    return sum(depth * min(step, -(-left // 16) * 16) for left in starts)


def cases() -> Iterator[tuple[str, str, int]]:
    """Label, ratio and bytes of a stream of every case that moves anything."""
    for ratio in RATIOS:
        for mb in SIZES:
            if stream_bytes(mb * MB, int(ratio[-1])):
                yield f"{ratio}.{mb}MB", ratio, mb * MB


def moved(session: Any) -> dict[str, Any]:
    """Bytes that each case reads and writes."""
    found = {}
    for label, ratio, size in cases():
        reads, writes, depth = (int(part) for part in ratio.split("_"))
        stream = stream_bytes(size, depth)
        found[label] = {"read": reads * stream, "written": writes * stream}
    return found


def counted(session: Any) -> Iterator[str]:
    sink, base = session.buffer(256), session.buffer(8 * max(SIZES) * MB)
    for label, ratio, size in cases():
        session.launch(f"stream_{ratio}", GRID, THREADS, u64(sink), u64(base), u64(size))
        session.gpu.synchronize()
        yield label


MEASUREMENTS = [moved]
SECONDS = 150
