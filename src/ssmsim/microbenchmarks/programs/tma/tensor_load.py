"""Tiles that the TMA unit loads from L2: latency, cycles per tile with several on their way, by size of box and swizzle.

latency.BYTESxROWS(.swSWIZZLE)(.PITCH): a round loads one tile of ROWS rows of BYTES and waits for it at an mbarrier.
stream.BYTESxROWS.dDEPTH.BLOCKS: a round waits for the oldest of DEPTH tiles and asks for another. dram: tiles that the
L2 does not hold. descriptors.MAPS: latency by the number of tensor maps that take turns. Rows lie PITCH bytes apart, 4,096
where nothing is said.
"""

import ctypes
from dataclasses import replace
from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import Loop, u32
from ssmsim.microbenchmarks.tensor_map import Tensor2D, tensor_map_2d

ARCHITECTURE = "90a"
PITCH = 4096
BOXES = ((16, 1), (16, 64), (32, 64), (64, 64), (128, 1), (128, 8), (128, 64), (128, 128), (128, 256), (256, 64), (512, 1), (512, 16))  # fmt: skip


def shape(box: tuple[int, int], swizzle: int = 0, pitch: int = PITCH) -> str:
    return f"{box[0]}x{box[1]}" + (f".sw{swizzle}" if swizzle else "") + (f".{pitch}" if pitch != PITCH else "")


def latency(box: tuple[int, int], swizzle: int = 0, pitch: int = PITCH) -> Loop:
    tensor = Tensor2D((1 << 20) // pitch, pitch, box, swizzle)
    args = (tensor, u32(box[0] * box[1]), u32(box[1]), u32(tensor.rows))
    return Loop(f"latency.{shape(box, swizzle, pitch)}", "latency", 1, shared=65536, args=args)


def stream(
    box: tuple[int, int], depth: int, blocks: int, swizzle: int = 0, pitch: int = PITCH, megabytes: int = 16
) -> Loop:
    tensor = Tensor2D((megabytes << 20) // pitch, pitch, box, swizzle)
    apart = max(box[1], tensor.rows // 128)
    args = (tensor, u32(box[0] * box[1]), u32(box[1]), u32(tensor.rows), u32(depth), u32(apart))
    name = f"stream.{shape(box, swizzle, pitch)}.d{depth}.{blocks}" + (".dram" if megabytes > 64 else "")
    return Loop(
        name, "stream", 1, blocks=blocks, shared=max(65536, depth * box[0] * box[1], 131072 + 16384 if blocks > 1 else 0), args=args,
        bytes_per_operation=box[0] * box[1],
    )  # fmt: skip


LOOPS = [latency(box) for box in BOXES]
LOOPS += [latency((128, 64), 128), latency((64, 64), 64), latency((128, 64), 128, 128), latency((16, 64), 0, 16)]
LOOPS += [
    stream(box, depth, 1)
    for box in ((16, 64), (32, 64), (64, 64), (128, 1), (128, 8), (128, 64), (256, 32), (512, 1), (512, 16))
    for depth in (1, 2, 4, 8)
    if depth in (4, 8) or box == (128, 64)
]
LOOPS += [stream((128, 64), depth, 132, 128) for depth in (1, 2, 4, 8)]
LOOPS += [stream((128, 128), 4, blocks, 128) for blocks in (1, 132)]
LOOPS += [stream(box, 4, 1) for box in ((16, 256), (32, 256), (64, 256), (128, 256), (256, 128))]
LOOPS += [stream((64, 64), 8, 132), stream((16, 64), 8, 132), stream((128, 64), 8, 132, 128, 128)]
LOOPS += [stream((128, 64), 8, 132, 128, PITCH, 1024)]
LOOPS += [
    Loop(
        f"descriptors.{maps}", "descriptors", 1, shared=65536,
        args=(Tensor2D(64, PITCH, (128, 8), maps=maps), u32(1024), u32(maps)), rounds=(2048, 4096),
    )
    for maps in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
]  # fmt: skip
REPLAYED = (
    "latency.128x1",
    "latency.128x64",
    "latency.16x64",
    "latency.128x256",
    "latency.512x16",
    "stream.128x64.d4.1",
    "stream.128x128.sw128.d4.1",
    "stream.16x256.d4.1",
    "stream.128x256.d4.1",
    "stream.128x64.sw128.d8.132",
    "stream.128x128.sw128.d4.132",
)
LOOPS = [replace(case, replay=case.name in REPLAYED) for case in LOOPS]


def encoding(session: Any) -> dict[str, Any]:
    """Words in which the driver's own encoding of a few maps differs from ours, as [word, driver's, ours]."""
    found: dict[str, Any] = {}
    for width, height, pitch, box, swizzle in (
        (2048, 256, 4096, (64, 64), 128),
        (64, 64, 128, (8, 64), 0),
        (32, 64, 64, (32, 8), 64),
    ):
        out = (ctypes.c_uint32 * 64)()
        at = -(-ctypes.addressof(out) // 64) * 64
        address = session.buffer(1 << 21)
        numbers = [
            (ctypes.c_uint64 * 2)(width, height),
            (ctypes.c_uint64 * 1)(pitch),
            (ctypes.c_uint32 * 2)(*box),
            (ctypes.c_uint32 * 2)(1, 1),
        ]
        session.gpu.call("cuTensorMapEncodeTiled", ctypes.c_void_p(at), 6, 2, ctypes.c_uint64(address), *numbers, 0,
                         {0: 0, 32: 1, 64: 2, 128: 3}[swizzle], 0, 0)  # fmt: skip
        driver = np.frombuffer(ctypes.string_at(at, 128), np.uint32)
        ours = tensor_map_2d(address, width, height, pitch, box, swizzle)
        name = f"{width}x{height}.{pitch}.{box[0]}x{box[1]}.{swizzle}"
        found[name] = [[int(i), hex(driver[i]), hex(ours[i])] for i in np.flatnonzero(driver != ours)]
    return found


MEASUREMENTS = [encoding]
