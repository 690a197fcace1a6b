"""Accesses whose time decides what a launch executes: the order in which they reach the L2 (feed/execution_driven.py).

Python gives loads and atomics their values. It is called before the first answer could be back at its SM, so that many are
served at once: no warp can have gone on by then.
"""

from numba import njit

from ssmsim.engines.embedded.state.records import record

PLACES = 1 << 14  # accesses noted until Python is called
PERFORMED = record("number")


@njit(cache=True)
def note(m, run, performed, number, cycle):
    """An access reaches the L2. number: twice the tracer's, and 1 when its warp waits for a value."""
    performed[run.performed].number = number >> 1
    run.performed += 1
    if number & 1:
        run.answer_by = min(run.answer_by, cycle + m.answer_cycles)
    if run.performed == PLACES:
        run.answer_by = cycle
