"""Arrivals at an mbarrier that drop out of its later phases, beside plain arrivals.

arrivals, drops(_all).WARPS: an arrival of one lane, or of 32, at a barrier that waits for many more. phases, phases_drop: a round
is one arrival, the arrival of all others at once, and the wait for the phase.
"""

from ssmsim.microbenchmarks.case import Loop

ARCHITECTURE = "90a"
LOOPS = [
    Loop(f"{kind}.{warps}", kind, 4, threads=32 * warps, replay="drops" in kind and warps in (1, 4))
    for kind in ("arrivals", "drops", "arrivals_all", "drops_all")
    for warps in (1, 4, 16)
] + [Loop(kind, kind, 1, replay=True) for kind in ("phases", "phases_drop")]
