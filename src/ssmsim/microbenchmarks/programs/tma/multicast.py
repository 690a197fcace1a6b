"""Tiles that the blocks of a cluster load in parts, each part sent to all of them: latency, and cycles per round with four on their way.

latency.SIZE.BYTESxROWS, stream.SIZE.BYTESxROWS.BLOCKS: clusters of SIZE blocks; each block loads ROWS rows of BYTES and
sends them to all, so SIZE times as much arrives at each.
"""

from dataclasses import replace

from ssmsim.microbenchmarks.case import Loop, u32
from ssmsim.microbenchmarks.programs.tma.tensor_load import PITCH
from ssmsim.microbenchmarks.tensor_map import Tensor2D

ARCHITECTURE = "90a"


def case(kind: str, size: int, box: tuple[int, int], blocks: int) -> Loop:
    tensor = Tensor2D((16 << 20) // PITCH, PITCH, box, 128)
    name = f"{kind}.{size}.{box[0]}x{box[1]}" + (f".{blocks}" if kind == "stream" else "")
    return Loop(
        name, f"{kind}_{size}", 1, blocks=blocks, shared=160 << 10, args=(tensor, u32(box[0] * box[1]), u32(box[1]), u32(tensor.rows)),
        bytes_per_operation=size * box[0] * box[1], cluster=size,
    )  # fmt: skip


LOOPS = [case("latency", size, box, size) for size in (1, 2, 4, 8) for box in ((128, 8), (128, 64 if size < 8 else 32))]
LOOPS += [
    case("stream", size, (128, 128 // size), blocks)
    for size in (1, 2, 4, 8)
    for blocks in (size, 128 if size > 4 else 132)
]
LOOPS += [case("stream", 2, (128, 128), 132), case("stream", 4, (128, 64), 132)]
REPLAYED = (
    "latency.2.128x64",
    "latency.4.128x64",
    "latency.8.128x32",
    "stream.2.128x64.2",
    "stream.2.128x64.132",
    "stream.4.128x32.132",
)
LOOPS = [replace(case, replay=case.name in REPLAYED) for case in LOOPS]
