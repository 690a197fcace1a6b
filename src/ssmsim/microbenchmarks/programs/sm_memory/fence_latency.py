"""Cycles of a fence alone, with an access of its own warp on the way, and beside accesses of other warps of its SM.

parts.BYTES.STRIDE.BLOCKS: each of four warps of a block stores 32 pieces of BYTES twice, then one fences for its block.
cold: the L2 holds other lines.

KIND.SMS.WARPS.GAP.SPAN.own: six fences of one warp, one after the other, `own`: each behind a store of its own, from cycle
3000 on; WARPS - 1 others access 512 bytes of L2 every GAP cycles until SPAN. Mean over the SMs.
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import Loop, Zeros, i32, u32, u64
from ssmsim.microbenchmarks.programs.l2.latency_bandwidth import sms

REGION = 4 << 20

LOOPS = [
    Loop(
        f"{kind}_{what}.{warps}.{blocks}",
        f"{kind}_{what}",
        1,
        threads=32 * warps,
        blocks=blocks,
        shared=16384,
        args=(Zeros(REGION), u32(REGION)),
        replay=blocks == 1 and kind != "acqrel",  # which takes as long as sc
    )
    for kind in ("sc", "acqrel", "cta")
    for what in ("none", "load", "copy", "store", "red")
    for warps, blocks in ((1, 1), (4, 1), (4, 132))
]

LOOPS += [
    Loop(
        f"parts.{width}.{stride}.{blocks}" + (".cold" if cold else ""),
        f"parts_{width}",
        1,
        threads=128,
        blocks=blocks,
        args=(Zeros(32 << 20 if cold else REGION), u32(stride), u32((32 << 20 if cold else REGION) - 1)),
        rounds=(4, 28),
        replay=width == 16,
        cold=cold,
    )
    for width, stride in ((16, 16), (16, 32), (4, 32))
    for blocks, cold in ((1, False), (132, False), (660, False), (132, True))
]

FENCES, WAIT = 6, 3000
CASES = [
    (kind, which, warps, gap, span, own)
    for kind in ("store", "load", "red")
    for which in ("1", "all")
    for warps, gap, span in ((2, 2000, 3050), (2, 500, 12000), (5, 400, 12000), (9, 100, 3050), (9, 100, 12000), (17, 400, 12000))
    for own in (0, 1)
]  # fmt: skip


def beside(session: Any) -> dict[str, list[int]]:
    """Cycles of each of the fences, by case."""
    out = session.buffer(session.sms * FENCES * 8)
    base = session.buffer(session.sms * 32 * 32768)
    found = {}
    for kind, which, warps, gap, span, own in CASES:
        chosen = sms() if which == "all" else sms(5)
        for _ in range(2):  # the second finds its lines in L2
            session.gpu.zero(out, session.sms * FENCES * 8)
            session.launch(f"beside_{kind}", session.sms, 32 * warps, u64(out), u64(base), u32(gap), u32(span), u32(WAIT),
                           u32(own), chosen)  # fmt: skip
            session.gpu.synchronize()
        times = session.gpu.download(out, session.sms * FENCES, u64).reshape(session.sms, FENCES)
        name = f"{kind}.{which}.{warps}.{gap}.{span}" + (".own" if own else "")
        found[name] = [round(float(x)) for x in times[times[:, 0] > 0].mean(axis=0)]
    return found


def together(session: Any) -> dict[str, list[int]]:
    """Cycles to the ends of two fences of an SM that begin `later` apart, by LATER or, behind a store, LATER.own."""
    out, base = session.buffer(session.sms * 16), session.buffer(session.sms * 2048)
    found = {}
    for own in (0, 1):
        for later in (0, 10, 20, 30, 40, 50, 60, 80, 100, 150, 200, 250, 300, 400, 500, 600):
            for _ in range(2):  # the second finds its lines in L2
                session.launch(
                    "together", session.sms, 64, u64(out), u64(base), u32(later), u32(WAIT), u32(own), sms(5)
                )
                session.gpu.synchronize()
            ends = session.gpu.download(out, session.sms * 2, u64).reshape(session.sms, 2)
            found[f"{later}" + (".own" if own else "")] = [int(x) for x in ends[ends[:, 0] > 0][0]]
    return found


def sides(session: Any) -> dict[str, list[int]]:
    """[near, far] cycles of a fence after an access to a page of the SM's own partition or the other, by SM.ACCESS.WAIT."""
    pages = 128
    cycles, far, base = session.buffer(4 * pages), session.buffer(4 * pages), session.buffer(4096 * pages)
    found = {}
    for sm in (0, 5, 33, 60, 100, 131):
        for number, access in enumerate(("none", "store", "load", "store_both", "red")):
            for wait in (0, 800):
                session.launch("sides", session.sms, 32, u64(cycles), u64(far), u64(base), i32(pages), u32(number),
                               u32(wait), u32(0), sms(sm), shared=4 * pages)  # fmt: skip
                session.gpu.synchronize()
                times, atomics = session.gpu.download(cycles, pages, u32), session.gpu.download(far, pages, u32)
                other = atomics > np.percentile(atomics, [10, 90]).mean()
                found[f"{sm}.{access}.{wait}"] = [round(float(times[side].mean())) for side in (~other, other)]
    return found


MEASUREMENTS = [beside, together, sides]
