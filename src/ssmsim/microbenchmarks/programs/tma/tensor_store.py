"""Tiles that the TMA unit stores to L2, or adds to a tensor of float32 there: latency, and cycles per tile with several on their way.

KIND_read, KIND_written.BYTESxROWS(.swSWIZZLE): a round stores a tile of ROWS rows of BYTES and waits until its source is
read, or until it is written. KIND_stream.BYTESxROWS.BLOCKS: three groups may be on their way.
"""

from dataclasses import replace

from ssmsim.microbenchmarks.case import Loop, u32
from ssmsim.microbenchmarks.programs.tma.tensor_load import PITCH, shape
from ssmsim.microbenchmarks.tensor_map import F16, F32, Tensor2D

ARCHITECTURE = "90a"


def case(kind: str, wait: str, box: tuple[int, int], swizzle: int = 0, blocks: int = 1) -> Loop:
    tensor = Tensor2D((16 << 20) // PITCH, PITCH, box, swizzle, F32 if kind == "add" else F16)
    name = f"{kind}_{wait}.{shape(box, swizzle)}" + (f".{blocks}" if wait == "stream" else "")
    return Loop(
        name, f"{kind}_{wait}", 1, blocks=blocks, shared=65536 if blocks == 1 else 131072,
        args=(tensor, u32(box[1]), u32(tensor.rows)), bytes_per_operation=box[0] * box[1],
    )  # fmt: skip


LOOPS = [
    case(kind, wait, box)
    for kind in ("store", "add")
    for wait in ("read", "written", "stream")
    for box in ((16, 64), (128, 1), (128, 8), (128, 64), (512, 16))
]
LOOPS += [case("store", wait, (128, 64), 128) for wait in ("read", "written", "stream")]
LOOPS += [case(kind, "stream", (128, 64), 128, 132) for kind in ("store", "add")]
REPLAYED = (
    "store_read.128x64",
    "store_read.16x64",
    "store_stream.128x64.1",
    "add_stream.128x64.1",
    "add_stream.128x64.sw128.132",
)
LOOPS = [replace(case, replay=case.name in REPLAYED) for case in LOOPS]
