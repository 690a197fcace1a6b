"""DRAM bandwidth in GB/s: reads, writes and mixes by loads in flight; strided words; tiles of rows."""

from typing import Any

from ssmsim.microbenchmarks.case import i32, u32, u64

GB = 1 << 30


def best(session: Any, kernel: str, grid: int, threads: int, *arguments: Any) -> list[float]:
    return [session.timed(kernel, grid, threads, *arguments) for _ in range(4)][1:]


def streams(session: Any) -> dict[str, Any]:
    """Milliseconds and GB/s (bytes read plus written) of each ratio, blocks x threads and depth; 2 GB per stream."""
    size = 2 * GB
    sink, base = session.buffer(256), session.buffer(8 * size)
    found = {}
    for kernel in (
        "1_0_1",
        "1_0_2",
        "1_0_4",
        "1_0_8",
        "0_1_1",
        "0_1_4",
        "1_1_1",
        "1_1_4",
        "2_1_2",
        "3_1_2",
        "1_2_2",
        "7_1_1",
    ):
        reads, writes, depth = (int(part) for part in kernel.split("_"))
        for grid, threads in (
            (132, 128),
            (132, 256),
            (132, 512),
            (132, 1024),
            (264, 1024),
            (1056, 256),
            (132 * 64, 256),
        ):
            times = best(session, f"stream_{kernel}", grid, threads, u64(sink), u64(base), u64(size))
            round_bytes = depth * grid * threads * 16  # the kernel leaves out what does not fill a round
            moved = (reads + writes) * (size // round_bytes * round_bytes)
            found[f"{kernel}.{grid}x{threads}"] = {"ms": times, "gb_per_s": moved / min(times) / 1e6}
    return found


def strides(session: Any) -> dict[str, Any]:
    """4 bytes read or written every `stride` bytes of 2 GB: ms, and GB/s of the span covered."""
    sink, base = session.buffer(256), session.buffer(2 * GB)
    found = {}
    for kernel in ("strided_read", "strided_write"):
        for stride in (4, 8, 16, 32, 64, 96, 128, 256, 512, 1024, 4096):
            times = best(session, kernel, 264, 1024, u64(sink), u64(base), u64(2 * GB), i32(stride))
            found[f"{kernel}.{stride}"] = {"ms": times, "span_gb_per_s": 2 * GB / min(times) / 1e6}
    return found


def tiles(session: Any) -> dict[str, Any]:
    """128-byte wide tiles: GB/s by pitch and rows."""
    sink, base = session.buffer(256), session.buffer(2 * GB)
    found = {}
    for pitch in (256, 1024, 2048, 4096, 8192, 16384, 65536):
        for rows in (32, 128):
            times = best(session, "tiles", 528, 256, u64(sink), u64(base), u64(2 * GB), u32(pitch), i32(rows))
            found[f"pitch{pitch}.rows{rows}"] = {"ms": times, "gb_per_s": 2 * GB / min(times) / 1e6}
    return found


MEASUREMENTS = [streams, strides, tiles]
SECONDS = 90
