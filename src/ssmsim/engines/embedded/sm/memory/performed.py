"""Accesses whose time decides what a launch executes: the order in which they reach the L2 (feed/execution_driven.py).
So do instructions that read the time, when they issue.

Python gives loads and atomics their values. It is called before the first answer could be back at its SM, so that many are
served at once: no warp can have gone on by then.
"""

from numba import njit

from ssmsim.engines.embedded.state.records import record

PLACES = 1 << 14  # accesses noted until Python is called
PERFORMED = record("number", "cycle")


@njit(cache=True)
def note(m, run, performed, number, cycle):
    """An access reaches the L2. number: twice the tracer's, and 1 when its warp waits for a value."""
    put(run, performed, number >> 1, cycle)
    if number & 1:
        run.answer_by = min(run.answer_by, cycle + m.answer_cycles)


@njit(cache=True)
def read_time(run, performed, w, cycle):
    """A warp reads its clock, or the number of its SM; it may go on with it at once."""
    put(run, performed, -1 - w, cycle)
    run.answer_by = min(run.answer_by, cycle + 1)


@njit(cache=True)
def put(run, performed, number, cycle):
    place = performed[run.performed]
    place.number, place.cycle = number, cycle
    run.performed += 1
    if run.performed == PLACES:
        run.answer_by = min(run.answer_by, cycle)
