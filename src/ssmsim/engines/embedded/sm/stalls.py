"""Warp states: why each warp did not issue, in warp cycles per static instruction and reason, by ncu's names.

A warp's state is settled when it changes, not every cycle: `state` holds from `mark` to `ready`; a warp that is ready
and has not issued was not selected. stalls: a record for each static instruction.
"""

import numpy as np
from numba import njit

from ssmsim.counters import STALL_REASONS

(BARRIER, BRANCHING, DISPATCH, DRAIN, GMMA, IMC, LG, LONG, MATH, MEMBAR, MIO, MISC, NO_INSTRUCTION, NOT_SELECTED,
 SELECTED, SHORT, SLEEPING, TEX, WAIT) = range(len(STALL_REASONS))  # fmt: skip


# Warp cycles of one static instruction by reason.
STALLS = np.dtype([("cycles", np.int64, (len(STALL_REASONS),))])


@njit(cache=True, forceinline=True)
def settle(warp, stalls, cycle):
    """Account for all cycles before `cycle`."""
    known = min(warp.ready, cycle)
    if known > warp.mark:
        stalls[warp.current].cycles[warp.state] += known - warp.mark
        warp.mark = known
    if cycle > warp.mark:
        stalls[warp.current].cycles[NOT_SELECTED] += cycle - warp.mark
        warp.mark = cycle


@njit(cache=True, forceinline=True)
def block(warp, stalls, cycle, until, reason):
    """The warp cannot issue before `until` (INF: before something wakes it)."""
    settle(warp, stalls, cycle)
    warp.state, warp.ready = reason, until
