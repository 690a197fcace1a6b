"""L2 hit and DRAM latency by working set, and what address translation adds (one access per page)."""

from typing import Any

from ssmsim.microbenchmarks.case import Loop, i32, u64

MB = 1 << 20


def chase(session: Any, stride: int, count: int, jump: int, name: str) -> dict[str, Any]:
    base = session.buffer(stride * count + 4096, zero=False)
    session.launch("ring", 132, 256, u64(base), u64(stride), u64(count), u64(jump))
    session.gpu.synchronize()
    rounds = max(count // 16, 4)
    found = session.loop(Loop(name, "chase_l2", 16, args=(u64(base), i32(count)), rounds=(rounds, 2 * rounds)))
    return {"cycles": found["cycles_per_operation"], "spread": found["spread"] / 16, "bytes": stride * count}


def working_sets(session: Any) -> dict[str, Any]:
    """Cycles per access over 0.25 to 1024 MB, 1 KB steps visited in a scattered order (a jump coprime to the count)."""
    found = {}
    for mb in (0.25, 1, 4, 8, 16, 20, 24, 26, 28, 30, 32, 36, 40, 44, 48, 50, 52, 56, 60, 64, 80, 96, 128, 256, 1024):
        stride = 1024 if mb <= 128 else 4096
        count = int(mb * MB) // stride
        found[f"{mb}MB"] = chase(session, stride, count, 4099 if count > 4099 else 61, f"set.{mb}")
    return found


def pages(session: Any) -> dict[str, Any]:
    """Cycles per access, one line in each of `count` 2 MB (and 64 KB) pages: all lines fit L2, so steps are TLB levels."""
    found = {}
    for page in (1 << 16, 2 * MB):
        for count in (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768):
            if page * count <= 80 << 30:
                found[f"{page >> 10}KB.{count}"] = chase(session, page + 384, count, 1, f"pages.{page}.{count}")
    return found


MEASUREMENTS = [working_sets, pages]
SECONDS = 90
