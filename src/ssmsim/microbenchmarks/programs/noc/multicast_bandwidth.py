"""Bandwidth of L2 hits when SMs of a GPC read the same lines: does a shared answer take the GPC's port once or once per SM?

SMS.SHARE: cycles per round in which each warp of the chosen SMs reads 8 x 512 bytes, the same as those of SHARE - 1
neighbours do.
"""

from collections.abc import Iterator
from typing import Any

from ssmsim.microbenchmarks.case import Loop, Random, i32, u32, u64
from ssmsim.microbenchmarks.programs.l2.latency_bandwidth import GPC, SETS, sms

MB = 1 << 20
CHOSEN = {"gpc": GPC, "gpc8": SETS["gpc8"], "all": (), "even": SETS["66sm"]}
SHARES = {"gpc": (1, 2, 4, 8, 16), "gpc8": (1, 2, 4, 8), "all": (1, 2, 4), "even": (1, 2)}
WARPS = (32, 8)
LOOPS = [
    Loop(
        f"{label}.{share}" + (f".{warps}" if warps != 32 else ""),
        "share_l2",
        8,
        threads=32 * warps,
        blocks=132,
        shared=120 << 10,
        args=(Random(16 * MB), u32(16 * MB), u32(share), sms(*CHOSEN[label])),
        rounds=(20, 60),
        bytes_per_operation=512,
    )
    for label, shares in SHARES.items()
    for share in shares
    for warps in (WARPS if label in ("gpc", "all") else (32,))
]
LOOPS += [
    Loop(
        f"same.{warps}",
        "same_l2",
        8,
        threads=32 * warps,
        blocks=132,
        shared=120 << 10,
        args=(Random(MB), u32(MB)),
        rounds=(4, 12),
        bytes_per_operation=512,
        replay=True,
    )
    for warps in WARPS
]
METRICS = [("none", ["lts__t_sectors_op_read.sum"])]
COUNTED_ROUNDS = 60


def counted(session: Any) -> Iterator[str]:
    """The L2's read sectors in 60 rounds of each loop; asked for are 128 per warp, SM and round."""
    out, base = session.buffer(132 * 32 * 32), session.buffer(16 * MB)
    for loop in LOOPS:
        for _ in range(2):  # the first brings the lines to both partitions
            session.launch(
                loop.kernel,
                132,
                loop.threads,
                u64(out),
                i32(COUNTED_ROUNDS),
                u64(base),
                *loop.args[1:],
                shared=120 << 10,
            )
            session.gpu.synchronize()
            yield loop.name


SECONDS = 60
