"""L2 policy, by the profiler's counts: capacity, fetch granularity, partial writes, when dirty lines go to DRAM."""

from collections.abc import Iterator
from typing import Any

from ssmsim.microbenchmarks.case import i32, u64

MB = 1 << 20
BIG = 256 * MB  # several times L2: reading it pushes everything else out
METRICS = [
    ("none", ["dram__bytes_read.sum", "dram__bytes_write.sum", "gpc__cycles_elapsed.max"]),
    (
        "none",
        [
            "lts__t_sectors_srcunit_tex.sum",
            "lts__t_sectors_srcunit_tex_lookup_hit.sum",
            "lts__t_sectors_srcunit_ltcfabric.sum",
        ],
    ),
]


def counted(session: Any) -> Iterator[str]:
    """Launches for the profiler; a label names what ran just before it."""
    sink, base, big = session.buffer(256), session.buffer(BIG), session.buffer(BIG)

    def go(kernel: str, size: int, stride: int, passes: int = 1, at: int = 0, grid: int = 264) -> None:
        session.launch(
            kernel, grid, 1024, u64(sink), u64(base + at if at >= 0 else big), u64(size), i32(stride), i32(passes)
        )
        session.gpu.synchronize()

    for mb in (8, 16, 24, 28, 30, 32, 36, 40, 44, 48, 50, 52, 56, 60, 64, 80):
        for which in ("first", "second", "third"):
            go("touch_read16", mb * MB, 16)
            yield f"capacity.{mb}MB.{which}"
    for mb in (8, 16, 24, 28, 32, 36, 40, 48, 56, 64):
        for which in ("first", "second"):
            go("touch_read16", mb * MB, 16, grid=1)
            yield f"capacity_1sm.{mb}MB.{which}"
    for mb in (4, 16, 24, 32, 40, 48, 64, 128):
        go("touch_read16", BIG, 16, at=-1)
        yield f"flush.before_write.{mb}MB"
        go("touch_write16", mb * MB, 16)
        yield f"write.{mb}MB"
        go("touch_write16", mb * MB, 16, passes=4)
        yield f"rewrite_4_passes.{mb}MB"
        go("touch_read16", mb * MB, 16)
        yield f"read_back.{mb}MB"
        go("touch_read16", BIG, 16, at=-1)
        yield f"flush.after_write.{mb}MB"
    for kernel in (
        "touch_read4",
        "touch_default4",
        "touch_read64B",
        "touch_read128B",
        "touch_read256B",
        "touch_red4",
        "touch_write4",
    ):
        for stride in (32, 64, 128, 256, 512):
            go("touch_read16", BIG, 16, at=-1)
            yield f"flush.before.{kernel}.{stride}"
            go(kernel, 16 * MB, stride)
            yield f"{kernel}.every{stride}.of16MB"
            if stride == 128:
                go(kernel, 16 * MB, stride, at=32)
                yield f"{kernel}.next_sector"
                go(kernel, 16 * MB, stride, at=64)
                yield f"{kernel}.third_sector"
    go("touch_read16", BIG, 16, at=-1)
    yield "flush.last"


SECONDS = 150
