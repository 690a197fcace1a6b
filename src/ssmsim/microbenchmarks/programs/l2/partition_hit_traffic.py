"""L2 hits seen from the SMs, traffic between the partitions, number of slices and channels: one counter a pass."""

from collections.abc import Iterator
from typing import Any

from ssmsim.microbenchmarks.case import i32, u64

SOURCE = "l2/capacity_fetch_writeback"
MB = 1 << 20
METRICS = [
    ("none", ["lts__t_sectors_srcunit_tex_lookup_hit.sum"]),
    ("none", ["lts__t_sectors_srcunit_tex_lookup_miss.sum"]),
    ("none", ["lts__t_sectors_srcunit_ltcfabric.sum"]),
    ("none", ["lts__t_sectors_srcunit_ltcfabric_lookup_miss.sum"]),
    ("none", ["dram__bytes_read.sum", "dram__bytes_write.sum"]),
    ("none", ["lts__cycles_elapsed.sum", "lts__cycles_elapsed.max", "lts__cycles_elapsed.avg.per_second"]),
    ("none", ["dram__cycles_elapsed.sum", "dram__cycles_elapsed.max", "dram__cycles_elapsed.avg.per_second"]),
    ("none", ["gpc__cycles_elapsed.sum", "gpc__cycles_elapsed.max", "gpc__cycles_elapsed.avg.per_second"]),
]


def counted(session: Any) -> Iterator[str]:
    sink, base, big = session.buffer(256), session.buffer(256 * MB), session.buffer(256 * MB)

    def go(kernel: str, size: int, grid: int = 264, address: int = base) -> None:
        session.launch(kernel, grid, 1024, u64(sink), u64(address), u64(size), i32(16), i32(1))
        session.gpu.synchronize()

    for mb in (8, 24, 32, 40, 48, 56):
        go("touch_read16", 256 * MB, address=big)
        yield f"flush.{mb}MB"
        for which in ("first", "second", "third"):
            go("touch_read16", mb * MB)
            yield f"all.{mb}MB.{which}"
    for mb in (8, 24, 40):
        go("touch_read16", 256 * MB, address=big)
        yield f"flush.1sm.{mb}MB"
        for which in ("first", "second"):
            go("touch_read16", mb * MB, grid=1)
            yield f"1sm.{mb}MB.{which}"
    for mb in (8, 24, 40):
        go("touch_read16", 256 * MB, address=big)
        yield f"flush.write.{mb}MB"
        go("touch_write16", mb * MB)
        yield f"write.{mb}MB"
        go("touch_read16", mb * MB)
        yield f"read_back.{mb}MB"
        go("touch_read16", mb * MB)
        yield f"read_again.{mb}MB"


SECONDS = 150
