"""Bulk and tensor prefetches into the L2: cycles per prefetch by size, and a bulk load of what was prefetched.

bulk.BYTES(.dram).BLOCKS, tensor.BYTESxROWS(.dram).BLOCKS: a round is four prefetches, one after the other, of bytes that the L2
holds or does not. fetched.BYTES: a prefetch of bytes that the L2 lacks, a pause, a bulk load of them, and the wait for it.
unfetched: without the prefetch; pause_alone: without the load; pause: without both.
"""

from ssmsim.microbenchmarks.case import Loop, Unrecorded, Zeros, u32
from ssmsim.microbenchmarks.tensor_map import Tensor2D

ARCHITECTURE = "90a"
SIZES = (16, 128, 512, 1024, 4096, 16384)
HELD, ALL, LACKED = 1 << 20, 1 << 24, 1 << 30
PAUSE = 16  # of 64 multiplications each: longer than any prefetch takes


def bulk(size: int, region: int, blocks: int) -> Loop:
    buffer = Unrecorded(region) if region == LACKED else Zeros(region)
    return Loop(
        f"bulk.{size}{'.dram' if region == LACKED else ''}.{blocks}", "bulk", 4, blocks=blocks, shared=131072 if blocks > 1 else 0,
        args=(buffer, u32(region), u32(size), u32(region // 128)), bytes_per_operation=size, cold=region == LACKED,
        replay=region != LACKED and (blocks == 1 or size == 16384),
    )  # fmt: skip


def tensor(box: tuple[int, int], megabytes: int, blocks: int) -> Loop:
    image = Tensor2D((megabytes << 20) // 4096, 4096, box)
    return Loop(
        f"tensor.{box[0]}x{box[1]}{'.dram' if megabytes > 64 else ''}.{blocks}", "tensor", 4, blocks=blocks,
        shared=131072 if blocks > 1 else 0, args=(image, u32(box[1]), u32(image.rows), u32(max(box[1], image.rows // 128))),
        bytes_per_operation=box[0] * box[1], cold=megabytes > 64, replay=megabytes <= 64 and (blocks == 1 or box[1] == 64),
    )  # fmt: skip


LOOPS = [bulk(size, HELD, 1) for size in SIZES] + [bulk(size, ALL, 132) for size in (128, 1024, 16384)]
LOOPS += [bulk(size, LACKED, blocks) for size in (1024, 16384) for blocks in (1, 132)]
LOOPS += [tensor(box, 1, 1) for box in ((16, 64), (128, 1), (128, 8), (128, 64), (256, 64))]
LOOPS += [tensor((128, 64), 16, 132), tensor((128, 64), 128, 1)]
LOOPS += [
    Loop(
        f"{kind}.{size}", kind, 1, shared=65536, args=(Zeros(1 << 22), u32(1 << 22), u32(size), u32(PAUSE)), cold=True,
        replay=kind in ("fetched", "unfetched"),
    )
    for kind in ("fetched", "unfetched", "pause_alone", "pause")
    for size in (128, 1024, 4096, 16384)
    if kind != "pause" or size == 128
]  # fmt: skip
