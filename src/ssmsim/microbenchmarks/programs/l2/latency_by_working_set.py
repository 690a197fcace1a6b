"""L2 hit and DRAM latency by working set, and what address translation adds (one access per page)."""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import Loop, i32, u64
from ssmsim.microbenchmarks.gpu import RECORD

MB = 1 << 20


def chase(session: Any, stride: int, count: int, jump: int, name: str) -> dict[str, Any]:
    base = session.buffer(stride * count + 4096, zero=False)
    session.launch("ring", 132, 256, u64(base), u64(stride), u64(count), u64(jump))
    session.gpu.synchronize()
    rounds = max(count // 16, 4)
    found = session.loop(Loop(name, "chase_l2", 16, args=(u64(base), i32(count)), rounds=(rounds, 2 * rounds)))
    return {"cycles": found["cycles_per_operation"], "spread": found["spread"] / 16, "bytes": stride * count}


def working_sets(session: Any) -> dict[str, Any]:
    """Cycles per access of one SM over every line of 1 to 96 MB, in order and scattered (jump coprime to the count)."""
    found = {}
    for mb in (1, 8, 16, 20, 24, 26, 28, 30, 32, 34, 36, 40, 44, 48, 52, 56, 58, 60, 62, 64, 72, 96):
        for jump in (1, 4099):
            count = mb * MB // 128
            base, out = session.buffer(mb * MB, zero=False), session.buffer(4096)
            session.launch("ring", 132, 256, u64(base), u64(128), u64(count), u64(jump))
            session.launch("chase_l2", 1, 1, u64(out), i32(count // 32), u64(base), i32(count))
            session.gpu.synchronize()
            record = session.gpu.download(out, 1, RECORD)[0]
            found[f"{mb}MB.jump{jump}"] = float(record["end"] - record["start"]) / (count // 32 * 16)
            session.release()
    return found


def pages(session: Any) -> dict[str, Any]:
    """Cycles per access, one line in each of `count` 2 MB pages: all lines fit L2, so steps would be TLB levels."""
    found = {}
    for page in (2 * MB,):
        for count in (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768):
            if (page + 384) * count + 4 * MB <= session.room():
                found[f"{page >> 10}KB.{count}"] = chase(session, page + 384, count, 1, f"pages.{page}.{count}")
    return found


def misses(session: Any) -> dict[str, Any]:
    """Cycles per access of one thread's chase through 256 MB, every one a miss in an L2 full of clean other lines.

    In order, scattered, and by the same line of a 4 KB page in every 1,021st page; three runs each and their median.
    """
    count, rounds = 256 * MB // 128, 3750  # 60,000 accesses: none twice, also where the ring has 65,536 lines
    base, out = session.buffer(128 * count, zero=False), session.buffer(4096)
    found = {}
    for name, jump in (("in_order", 1), ("scattered", 4099), ("pages", 32 * 1021)):
        session.launch("ring", 132, 256, u64(base), u64(128), u64(count), u64(jump))
        cycles = []
        for _ in range(3):
            session.sweep()
            session.launch("chase_l2", 1, 1, u64(out), i32(rounds), u64(base), i32(0))
            session.gpu.synchronize()
            record = session.gpu.download(out, 1, RECORD)[0]
            cycles.append(float(record["end"] - record["start"]) / (rounds * 16))
        found[name] = {"cycles": float(np.median(cycles)), "runs": cycles}
    return found


MEASUREMENTS = [working_sets, pages, misses]
SECONDS = 90
