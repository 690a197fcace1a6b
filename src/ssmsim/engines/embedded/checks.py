"""Conservation: what went in came out. Checked after every run; a broken rule is an error, not a number."""

from typing import Any

from ssmsim.engines.embedded.machine import State
from ssmsim.engines.embedded.stalls import SELECTED
from ssmsim.errors import SsmsimError


def conserve(state: State, executed: int) -> None:
    """Raise SsmsimError naming the first law that the finished run breaks."""
    counts, gpu = state.counts[0], state.gpu[0]
    laws = {
        "instructions issued = instructions in the streams": (counts.issued, executed),
        "instructions selected = issued": (int(state.stalls[:, SELECTED].sum()), counts.issued),
        "warps retired = launched": (counts.retired_warps, counts.launched_warps),
        "memory instructions answered = served": (counts.answers, counts.requests),
        "SM lines awaited": (int(state.sms.misses.sum()), 0),
        "warps resident at the end": (gpu.warps_alive, 0),
        "request entries free": (_free(state.requests), len(state.requests) - 1),
        "stall table covers the warps' time": (int(state.stalls.sum()), counts.warp_cycles),
    }
    for law, (left, right) in laws.items():
        if int(left) != int(right):
            raise SsmsimError(f"conservation broken: {law}, but {int(left)} against {int(right)}", "embedded engine",
                              "this is a fault of the model; report it")  # fmt: skip


def _free(pool: Any) -> int:
    """Entries on a free list, as far as it is a simple chain."""
    following, seen, at = pool.next, 0, int(pool[0].next)
    while at and seen < len(pool):
        seen, at = seen + 1, int(following[at])
    return seen
