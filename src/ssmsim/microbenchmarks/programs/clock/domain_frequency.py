"""Which clock the L2, the ports into the GPCs and DRAM run at: SM cycles that they take while other SMs lower the SM clock.

Each sample: cycles per access (chase) or bytes per cycle and SM (read, write), and the SM clock in MHz, with the other
SMs idle and with matrices multiplied there. A GPC has a clock of its own, so some of its SMs are among those that
multiply.
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import Chase, i32, u32, u64
from ssmsim.microbenchmarks.gpu import RECORD
from ssmsim.microbenchmarks.programs.l2.latency_bandwidth import SETS, sms

MB = 1 << 20
# name -> kernel, SMs, rounds of 8 accesses, bytes (and stride of a chase), ns that the others multiply
CASES: dict[str, tuple[str, tuple[int, ...], int, int, int, int]] = {
    "chase_l2": ("chase", (2,), 1000, 8 * MB, 1024, 6_000_000),
    "chase_dram": ("chase", (2,), 1000, 96 * MB, 12288, 12_000_000),
    "read_sm": ("read", (2,), 200, 16 * MB, 0, 3_000_000),
    "read_gpc": ("read", SETS["gpc8"], 200, 16 * MB, 0, 3_000_000),
    "read_half": ("read", SETS["66sm"], 200, 16 * MB, 0, 3_000_000),
    "write_sm": ("write", (2,), 200, 16 * MB, 0, 3_000_000),
    "write_gpc": ("write", SETS["gpc8"], 200, 16 * MB, 0, 3_000_000),
    "write_half": ("write", SETS["66sm"], 200, 16 * MB, 0, 3_000_000),
}
LEAD = 500_000  # ns until the clock has settled
REPEATS = 5


def one(
    session: Any, kernel: str, chosen: tuple[int, ...], rounds: int, size: int, stride: int, busy: int
) -> dict[str, float]:
    """Medians of a few launches."""
    base, out = session.buffer(size), session.buffer(132 * 32 * RECORD.itemsize)
    if stride:
        session.gpu.upload(base, Chase(size, stride, 1).contents(base))
    found = []
    for _ in range(REPEATS + 1):
        if size > 60 * MB:
            session.gpu.zero(session.swept, 300 * MB)  # pushes the ring out of the L2
        session.gpu.zero(out, 132 * 32 * RECORD.itemsize)
        session.launch(kernel, 132, 1024, u64(out), i32(rounds), u64(base), u32(size), u32(LEAD), u32(busy), sms(*chosen),
                       shared=120 << 10)  # fmt: skip
        session.gpu.synchronize()
        record = session.gpu.download(out, 132 * 32, RECORD)
        record = record[record["start"] != 0]
        cycles = record["end"].astype(np.float64) - record["start"]
        found.append((cycles.mean(), (cycles / record["global"]).mean() * 1000))
    session.release()
    cycles, mhz = (float(v) for v in np.median(found[1:], axis=0))
    each = cycles / (8 * rounds)
    value = {"cycles": round(each, 2)} if stride else {"bytes_per_cycle_per_sm": round(32 * 512 / each, 2)}
    return value | {"mhz": round(mhz, 1)}


def beside(session: Any) -> dict[str, Any]:
    """Every case with the other SMs idle and with matrices multiplied there."""
    return {
        name: {
            "idle": one(session, kernel, chosen, rounds, size, stride, 0),
            "busy": one(session, kernel, chosen, rounds, size, stride, busy),
        }
        for name, (kernel, chosen, rounds, size, stride, busy) in CASES.items()
    }


MEASUREMENTS = [beside]
SECONDS = 60
