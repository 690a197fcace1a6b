"""Places of copies on their way: how many there are, and in which order they are given back.

A copy that asks the L1 for what it lacks takes a place of the copies_awaited, one past the L1, one that hits and one
that fills with zeros a share of it, and so does a load or an atomic that has to wait, as long as it does. A copy gives
its place back once it and all that the SM's unit asked for before it have been answered, whichever warp asked. Where
there is no room for a copy the unit waits with it, and all that is behind; loads never do. Our microbenchmarks
sm_memory/ldgsts_in_flight_capacity (how many, and the share) and sm_memory/ldgsts_in_flight_release: while one load of
another warp is on its way to the host's memory, copies of four warps, one of each sub-core, stop after 298 of a line
from L2, 453 that hit or fill with zeros and 440 past the L1: 256 and 424, and 4 to 11 in each sub-core's queue (12
here). With 96 loads on their way it is 54 fewer. They also stop behind a copy or an atomic, not behind a store; 484
loads do not stop. Loads that hit go on even when the unit waits (by hand); here they wait as well.
"""

from numba import njit

from ssmsim.engines.embedded.sm.instruction import COPY
from ssmsim.engines.embedded.state.records import FP

AWAITED, ANSWERED = 1, 2  # of request.standing; else 0


@njit(cache=True)
def has_room(m, sm, request, one, access):
    """Whether the unit may go on with a copy; one that is on in no lane asks for nothing.

    One through the L1 wants a whole place: what it lacks is known when it is looked up. If it hits it takes a share.
    """
    whole = access.lines and not one.bypass
    return request.off or sm.places_taken_fp + (1 << FP if whole else m.mio.place_share_fp) <= m.places_fp


@njit(cache=True)
def take(m, sm, requests, index, one):
    """The unit has asked for the lines of a load, an atomic or a copy that are awaited."""
    request = requests[index]
    whole = request.space == COPY and request.left > 1 and not one.bypass
    request.place_fp = 0 if request.off else 1 << FP if whole else m.mio.place_share_fp
    sm.places_taken_fp += request.place_fp
    request.standing, request.older, request.newer = AWAITED, sm.newest, 0
    if sm.newest:
        requests[sm.newest].newer = index
    else:
        sm.oldest = index
    sm.newest = index


@njit(cache=True)
def answered(sm, requests, index):
    """What was awaited is there: a load leaves at once, a copy when it is the oldest (give_back)."""
    request = requests[index]
    if request.space == COPY:
        request.standing = ANSWERED
    elif request.standing:
        leave(sm, requests, index)


@njit(cache=True)
def give_back(sm, requests):
    """The oldest that is awaited no more leaves; its number, 0 when there is none."""
    index = sm.oldest
    if index == 0 or requests[index].standing != ANSWERED:
        return 0
    leave(sm, requests, index)
    return index


@njit(cache=True)
def leave(sm, requests, index):
    request = requests[index]
    sm.places_taken_fp -= request.place_fp
    if request.older:
        requests[request.older].newer = request.newer
    else:
        sm.oldest = request.newer
    if request.newer:
        requests[request.newer].older = request.older
    else:
        sm.newest = request.older
    request.standing = 0
