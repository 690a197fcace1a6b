"""SM and start of each block of a launch in clusters: how many clusters are resident, where, and in which order they come.

SIZE.PER_SM: [start in ns after the first block's, SM] of each block of two waves, with PER_SM blocks on an SM by shared
memory. resident: cudaOccupancyMaxActiveClusters of each.
"""

import ctypes
from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import u32, u64

ARCHITECTURE = "90a"
PLACE = np.dtype([("start", "u8"), ("smid", "u4"), ("block", "u4")])
SHARED = {1: 200 << 10, 2: 100 << 10}


def placement(session: Any) -> dict[str, list[list[int]]]:
    found = {}
    for size in (1, 2, 4, 8):
        for per_sm, shared in SHARED.items():
            blocks = session.sms * per_sm * 2 // size * size
            out = session.buffer(blocks * PLACE.itemsize)
            for _ in range(2):
                session.launch(f"place_{size}", blocks, 128, u64(out), u32(40000), shared=shared)
                session.gpu.synchronize()
            rows = session.gpu.download(out, blocks, PLACE)
            start = rows["start"] - rows["start"].min()
            found[f"{size}.{per_sm}"] = [[int(s), int(m)] for s, m in zip(start, rows["smid"], strict=True)]
    return found


class Config(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.c_void_p), ("count", ctypes.c_uint)]  # fmt: skip


def resident(session: Any) -> dict[str, int]:
    found = {}
    for size in (1, 2, 4, 8):
        for per_sm, shared in SHARED.items():
            function = session.gpu.function(session.module, f"place_{size}", shared)
            config = Config((1056 * size, 1, 1), (128, 1, 1), shared, None, None, 0)
            count = ctypes.c_int()
            session.gpu.call("cuOccupancyMaxActiveClusters", ctypes.byref(count), function, ctypes.byref(config))
            found[f"{size}.{per_sm}"] = count.value
    return found


MEASUREMENTS = [placement, resident]
