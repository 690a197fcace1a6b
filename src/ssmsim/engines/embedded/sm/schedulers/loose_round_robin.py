"""Loose round-robin: the next warp slot behind the one that issued last, of those that could issue."""

from numba import njit

SLOTS = 1 << 20  # more than there are


@njit(cache=True, forceinline=True)
def before(sub, w, warp, v, other, cycle):
    return behind(sub, w) < behind(sub, v)


@njit(cache=True, forceinline=True)
def behind(sub, slot):
    """Steps from the slot that issued last to this one, going round."""
    return slot - sub.last if slot > sub.last else slot - sub.last + SLOTS
