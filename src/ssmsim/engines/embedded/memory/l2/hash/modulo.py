"""Slices in turn by address, without mixing: what strides of slices times a granule share is one slice."""

from numba import njit


@njit(cache=True, forceinline=True)
def home_of(m, line):
    return line // m.l2_granule % m.l2.slices


@njit(cache=True, forceinline=True)
def number_of(m, line):
    return line // m.l2_granule // m.l2.slices * m.l2_granule + line % m.l2_granule
