"""Additions in the L2: atomics pass a slice's port, and a unit of the slice that owns the line does them.

The port takes an L2 clock per sector and one more, the unit one per sector (our microbenchmark
l2/single_slice_atomic_throughput, several: lines of one slice get 431, 288, 216 and 173 additions of one to four
sectors per 1,000 cycles from the SMs of either partition, of four sectors 216 from both). What passes through to the
other partition takes the port of its slice, not the unit. Reads wait for the port as long as the unit has room
(l2/single_slice_atomic_throughput, beside: hits wait as behind a queue for the port alone); how much it has is not
known well (l2/single_slice_atomic_throughput, burst).
"""

from numba import njit

from ssmsim.architecture import SECTOR_BYTES
from ssmsim.engines.embedded.memory import noc
from ssmsim.engines.embedded.sm.instruction import DOUBLE_ATOMIC, FLOAT_ATOMIC, SWAP_ATOMIC
from ssmsim.engines.embedded.state.records import FP


@njit(cache=True)
def arriving(m, sms, fill):
    """How long an atomic that an SM sends takes the port of the slice (fixed point): an L2 clock per sector and one more.

    Of a lone lane header and data go together (l2/single_slice_atomic_throughput, several: 1.16.own).
    """
    if noc.near_of(m, fill.slice, sms[fill.sm].side) != fill.slice:  # it comes from the other partition
        return 0
    return (fill.payload + noc.atomic_header(m, fill)) * m.slice_atomic_fp // SECTOR_BYTES


@njit(cache=True)
def begin(m, slice_, fill, sectors, now):
    """The cycle in which the unit begins with an atomic that is there at `now`; a sector takes it an L2 clock, or two.

    An atomic waits for the one before it in the slice when both are to the same sectors (microbenchmarks
    l2/atomic_throughput: red.8.1.4; l2/atomic_word_conflicts: u32.32.one, f32.32.one).
    """
    start = max(slice_.add_free_fp, now << FP)
    if slice_.atomic_line == fill.line + 1 and slice_.atomic_sectors & fill.sectors:
        adds = fill.atomic == FLOAT_ATOMIC or fill.atomic == DOUBLE_ATOMIC
        start = max(
            start, slice_.atomic_start_fp + (m.l2.atomic_same_cycles_fp if adds else m.l2.atomic_integer_same_cycles_fp)
        )
    slice_.atomic_line, slice_.atomic_sectors, slice_.atomic_start_fp = fill.line + 1, fill.sectors, start
    slow = (fill.atomic == DOUBLE_ATOMIC or fill.atomic == SWAP_ATOMIC) and not fill.alone
    interval = m.l2.atomic_fp64_interval_cycles_fp if slow else m.l2.atomic_interval_cycles_fp
    slice_.add_free_fp = start + max(m.l2.slice_interval_cycles_fp, sectors * interval)
    return start >> FP


@njit(cache=True)
def arrived(m, slice_, sectors):
    """An atomic from the other partition is at its owner, where it may have to wait: it is not on its way any more.

    Else those that wait behind misses would hold the port that they wait for.
    """
    slice_.coming_fp -= sectors * m.l2.atomic_interval_cycles_fp


@njit(cache=True)
def hold(m, slice_, owner, fill, sectors, at_home):
    """The port that an atomic has come through waits while the owner's unit has no room, whichever partition's it is.

    So either partition gets half of the unit (microbenchmark noc/bandwidth_fairness); the unit's room is taken when an
    atomic passes its port.
    """
    if not at_home:
        owner.coming_fp += sectors * m.l2.atomic_interval_cycles_fp
    fill.passed = 1 - at_home
    slice_.free_fp = max(slice_.free_fp, owner.add_free_fp + owner.coming_fp - m.adds_waiting_fp)
