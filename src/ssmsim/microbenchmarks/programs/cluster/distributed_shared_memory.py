"""Shared memory of another block of the cluster, DISTANCE ranks away: latency and bandwidth, arrivals and copies.

load_latency.SIZE.DISTANCE: a chain of loads. loads, stores.SIZE.DISTANCE.WARPS: of 16 bytes a lane, all blocks at once.
turns: two blocks wake each other by remote arrivals, which release
what was written before (turns_plain: not to the cluster); a round is two such steps. store_async: a store that the other's
mbarrier counts, and the wait for the like of it. copies.SIZE.DISTANCE.BYTES.dDEPTH: bulk copies between blocks.
"""

from dataclasses import replace

from ssmsim.microbenchmarks.case import Loop, u32

ARCHITECTURE = "90a"


def case(
    kind: str,
    size: int,
    distance: int,
    threads: int = 32,
    blocks: int = 0,
    operations: int = 1,
    more: tuple = (),
    name: str = "",
) -> Loop:
    return Loop(
        f"{kind}.{size}.{distance}{name}", f"{kind}_{size}", operations, threads=threads, blocks=blocks or size, shared=160 << 10,
        args=(u32(distance), *(u32(m) for m in more)),
        bytes_per_operation=more[0] if more else 512 if operations == 4 else 0, cluster=size,
    )  # fmt: skip


PLACES = ((2, 1), (4, 1), (4, 2), (8, 1), (8, 4))
LOOPS = [case("load_latency", *place) for place in (*PLACES, (2, 0), (8, 0))]
LOOPS += [
    case(kind, size, 1, 32 * warps, blocks, 4, (), f".{warps}" + (".all" if blocks else ""))
    for kind in ("loads", "stores")
    for size in (2, 4, 8)
    for warps in (1, 4, 16)
    for blocks in (0, 128)
    if not blocks or warps == 16
]
LOOPS += [case(kind, *place, operations=2) for kind in ("turns", "turns_plain") for place in PLACES]
LOOPS += [case("store_async", *place) for place in PLACES]
LOOPS += [
    case("copies", size, 1, more=(count, depth), blocks=blocks, name=f".{count}.d{depth}" + (".all" if blocks else ""))
    for size in (2, 4)
    for count in (128, 1024, 8192)
    for depth in (1, 4)
    for blocks in (0, 128)
    if not blocks or (count == 8192 and depth == 4)
]
REPLAYED = (
    "load_latency.2.1",
    "load_latency.8.4",
    "load_latency.2.0",
    "loads.2.1.16",
    "loads.4.1.16.all",
    "stores.4.1.16",
    "stores.4.1.16.all",
    "turns_plain.2.1",
    "turns_plain.8.4",
    "turns.2.1",
    "store_async.2.1",
    "store_async.4.1",
    "copies.2.1.128.d1",
    "copies.2.1.8192.d4",
    "copies.4.1.8192.d4.all",
)
LOOPS = [replace(case, replay=case.name in REPLAYED) for case in LOOPS]
