"""Constant caches: LDC chase over working sets up to 64 KB, and c[bank][offset] operands spread over more lines."""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import Loop, f32, i32, u32

LOOPS = [
    Loop(f"operands.{step * 4}B", f"operands_{step}", 64, args=(f32(1), i32(0)), rounds=(10, 60))
    for step in (0, 1, 4, 8, 16, 32, 64)
]


def ldc(session: Any) -> dict[str, Any]:
    """Cycles per LDC against the bytes cycled through, one access per `stride` bytes."""
    table = session.gpu.symbol(session.module, "table")
    found = {}
    for stride in (64, 256):
        for kb in (0.25, 0.5, 1, 1.5, 2, 2.5, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64):
            count = int(kb * 1024) // stride
            if count < 1:
                continue
            ring = np.zeros(16384, np.uint32)
            ring[np.arange(count) * (stride // 4)] = np.roll(np.arange(count), -1) * stride
            session.gpu.upload(table, ring)
            rounds = max(count // 16, 1)
            case = Loop(
                f"ldc.{stride}B.{kb}KB", "ldc_chain", 16, args=(u32(0), i32(0)), rounds=(4 * rounds, 20 * rounds)
            )
            found[f"{stride}B.{kb}KB"] = session.loop(case)["cycles_per_operation"]
    return found


MEASUREMENTS = [ldc]
