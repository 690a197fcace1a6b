"""Arrivals at mbarriers and waits for their phases.

one_lane, all_lanes.WARPS: a round in which all warps arrive, with one lane each or with all, and wait for the phase. turns:
two warps wake each other; a round is two such steps. tries.WARPS: a wait for a phase that has completed.
arrivals, arrivals_all.WARPS: an arrival of one lane, or of 32, at a barrier that waits for many more.
"""

from dataclasses import replace

from ssmsim.microbenchmarks.case import Loop

ARCHITECTURE = "90a"
LOOPS = [
    Loop(f"{kind}.{warps}", kind, operations, threads=32 * warps)
    for kind, operations in (("one_lane", 1), ("all_lanes", 1), ("tries", 8), ("arrivals", 8), ("arrivals_all", 4))
    for warps in (1, 2, 4, 8, 12, 16)
]
LOOPS += [Loop("turns", "turns", 2, threads=64)]
REPLAYED = (
    "one_lane.1",
    "one_lane.4",
    "one_lane.16",
    "all_lanes.8",
    "tries.1",
    "tries.16",
    "arrivals.1",
    "arrivals.16",
    "arrivals_all.4",
    "turns",
)
LOOPS = [replace(case, replay=case.name in REPLAYED) for case in LOOPS]
