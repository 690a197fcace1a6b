"""Reads of an SM behind its own additions and stores to slices that all other SMs keep busy: how many may stand before it waits.

WHAT.SLICES.NUMBER: percentiles (5, 25, 50, 75, 95) of hits in lines of 64 pages, behind so many to one slice or two; a few of
the lines lie in those slices.
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import u32, u64
from ssmsim.microbenchmarks.programs.l2.latency_bandwidth import sms

WARPS, COUNT, PAUSE, PAGES, STOP = 8, 96, 16_000, 64, 4_000_000
NUMBERS = (0, 4, 8, 12, 16, 20, 24, 32, 48, 64)
SHOWN = (5, 25, 50, 75, 95)


def behind(session: Any) -> dict[str, Any]:
    """The prober is SM 0; nobody: without the others."""
    base, times = session.buffer(64 << 20), session.buffer(4 * COUNT)
    found: dict[str, Any] = {}
    others = range(1, session.sms)
    cases = [
        ("nobody", 0, 1, (0,)),
        ("adds", 0, 1, others),
        ("adds", 0, 2, others),
        ("stores", 1, 1, others),
        ("stores", 1, 2, others),
    ]
    for label, stores, slices, who in cases:
        for number in NUMBERS:
            session.launch("standing", session.sms, 32 * WARPS, u64(base), sms(*who), u32(0), u32(stores), u32(slices),
                           u32(number), u32(COUNT), u32(PAUSE), u32(STOP), u32(PAGES), u64(times), u32(0),
                           shared=120 << 10)  # fmt: skip
            session.gpu.synchronize()
            cycles = session.gpu.download(times, COUNT, u32)
            found[f"{label}.{slices}.{number}"] = np.percentile(cycles, SHOWN).round().astype(int).tolist()
    return found


MEASUREMENTS = [behind]
