"""Cycles of a barrier of all blocks of a cluster: sync (release and acquire) and relaxed, by SIZE.WARPS of each block."""

from dataclasses import replace

from ssmsim.microbenchmarks.case import Loop

ARCHITECTURE = "90a"
LOOPS = [
    Loop(
        f"{kind}.{size}.{warps}",
        f"{kind}_{size}",
        1,
        threads=32 * warps,
        blocks=size,
        shared=160 << 10,
        cluster=size,
    )
    for kind in ("sync", "relaxed")
    for size in (1, 2, 4, 8)
    for warps in (1, 4, 12)
]
REPLAYED = (
    "relaxed.1.1",
    "relaxed.2.4",
    "relaxed.4.12",
    "relaxed.8.1",
    "sync.2.1",
)
LOOPS = [replace(case, replay=case.name in REPLAYED) for case in LOOPS]
