"""Bulk copies of runs of bytes: latency, and cycles per copy with several on their way, by size.

load_latency.BYTES: a round copies from L2 to shared memory and waits at an mbarrier. load_stream.BYTES.dDEPTH.BLOCKS: a
round waits for the oldest of DEPTH copies and asks for another. store_read, store_written.BYTES: a round stores and waits
until the source is read or the store is written; store_stream.BYTES.BLOCKS: three groups may be on their way.
"""

from dataclasses import replace

from ssmsim.microbenchmarks.case import Loop, Zeros, u32

ARCHITECTURE = "90a"
REGION = 1 << 20
SIZES = (16, 64, 128, 256, 512, 1024, 4096, 8192, 16384)

LOOPS = [
    Loop(f"{kind}.{size}", kind, 1, shared=65536, args=(Zeros(REGION), u32(REGION), u32(size)))
    for kind in ("load_latency", "store_read", "store_written")
    for size in SIZES
]
LOOPS += [
    Loop(
        f"load_stream.{size}.d{depth}.{blocks}", "load_stream", 1, blocks=blocks, shared=131072,
        args=(Zeros(REGION << 4), u32(REGION << 4), u32(size), u32(depth), u32((REGION << 4) // 128)),
        bytes_per_operation=size,
    )
    for size in SIZES
    for depth in (4, 8)
    for blocks in (1, 132)
    if blocks == 1 or (depth == 8 and size in (128, 1024, 16384))
]  # fmt: skip
LOOPS += [
    Loop(
        f"store_stream.{size}.{blocks}", "store_stream", 1, blocks=blocks, shared=65536 if blocks == 1 else 131072,
        args=(Zeros(REGION << 4), u32(REGION << 4), u32(size)), bytes_per_operation=size,
    )
    for size in SIZES
    for blocks in (1, 132)
    if blocks == 1 or size in (128, 1024, 16384)
]  # fmt: skip
REPLAYED = (
    "load_latency.128",
    "load_latency.16384",
    "load_stream.16384.d8.132",
    "store_read.128",
    "store_read.16384",
    "store_written.4096",
    "store_stream.16384.1",
    "store_stream.16384.132",
)
LOOPS = [replace(case, replay=case.name in REPLAYED) for case in LOOPS]
