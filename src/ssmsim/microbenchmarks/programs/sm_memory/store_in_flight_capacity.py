"""Stores on their way: cycles in which every warp issues N stores to lines of 32 MB, and of what is behind them.

KIND_END.SMS.WARPS.N: cycles of the N stores as issued, of the fence or the load of another line behind them (mean and
largest over warps), and of it all on the slowest SM. st4: 512 bytes per store, st1: 128; all go through the 32 MB in
turn. A few stores go at the pace of the SM; warps with more are held up once as many are on their way as an SM may have.
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import i32, u64
from ssmsim.microbenchmarks.programs.l2.latency_bandwidth import sms

REGION = 32 << 20
KINDS, ENDS = ("st4", "st1"), ("fence", "load")
SMS, WARPS, STORES = {"1": sms(5), "all": sms()}, (1, 4, 16, 32), (1, 4, 16, 64)
TRIES = 4  # the fastest counts
APART = 1_000_003 * 64  # pieces between the places of two tries
TIMES = np.dtype([("start", u64), ("issued", u64), ("end", u64), ("sm", u64)])


def summary(times: np.ndarray) -> dict[str, float]:
    """Of the TIMES of some warps, those that did not run at 0: cycles of the stores, of what is behind, and of both."""
    times = times[times["start"] > 0]
    issue, end = times["issued"] - times["start"], times["end"] - times["issued"]
    spans = [of["end"].max() - of["start"].min() for of in (times[times["sm"] == sm] for sm in np.unique(times["sm"]))]
    return {
        "issue_mean": float(issue.mean()), "issue_max": int(issue.max()),
        "end_mean": float(end.mean()), "end_max": int(end.max()),
        "total": int(max(spans)),
    }  # fmt: skip


def on_their_way(session: Any) -> dict[str, Any]:
    """Each case; the SMs' clocks need not agree, so a time is that of one SM."""
    out, base = session.buffer(session.sms * max(WARPS) * TIMES.itemsize), session.buffer(REGION)
    found = {}
    for which, chosen in SMS.items():
        for kernel in (f"{kind}_{end}" for kind in KINDS for end in ENDS):
            for warps in WARPS:
                for stores in STORES:
                    tries = []
                    for number in range(TRIES):
                        session.gpu.zero(out, session.sms * warps * TIMES.itemsize)
                        session.launch(
                            kernel, session.sms, 32 * warps,
                            u64(out), i32(stores), u64(base), u64(REGION - 1), u64(number * APART), chosen,
                        )  # fmt: skip
                        session.gpu.synchronize()
                        tries.append(summary(session.gpu.download(out, session.sms * warps, TIMES)))
                    found[f"{kernel}.{which}.{warps}.{stores}"] = min(tries, key=lambda one: one["total"])
    return found


MEASUREMENTS = [on_their_way]
