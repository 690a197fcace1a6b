"""What stops the SM's unit for shared memory: a barrier that opens, and a MEMBAR of the block.

No access begins until those in the unit have gone through. A warp's wavefronts go one per two cycles and leave the cycles
between to another's, so the last access goes on for half of its wavefronts without company. Our microbenchmark
sm_memory/lsu_drain_time: beside loads of 1, 4 and 8 wavefronts a barrier costs the unit 3.8, 5.9 and 8.7 cycles, of one
warp, four or eight alike, and a MEMBAR 4 to 9; by hand, 14 beside 16 wavefronts and 16 to 25 beside 32. That global
accesses and copies are waited for as well is assumed.
"""

from numba import njit

from ssmsim.engines.embedded.state.records import NONE


@njit(cache=True, forceinline=True)
def served(sm, cycle, busy):
    """The unit serves an access from `cycle` on for `busy`."""
    sm.through = cycle + busy + busy // 2


@njit(cache=True, forceinline=True)
def stop(m, sm, cycle):
    """Cycles from `cycle` on for which the unit stands still: none when no access is in it. Nothing is then."""
    if sm.through < cycle:
        return 0
    busy = sm.through - cycle + m.mio.stop_cycles
    sm.through = NONE
    return busy
