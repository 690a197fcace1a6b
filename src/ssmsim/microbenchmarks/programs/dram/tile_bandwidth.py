"""Tiles from and to DRAM by all SMs: rows of 128 bytes far apart, as kernels read a head's part of a matrix, or whole pieces.

READ.WRITE.WARPS: cycles per round in which each group of four warps reads a tile of 32 KB and writes another. rowsN: 256
rows of 128 B, N bytes apart; flat: tiles of 32 KB one behind the other; headsN: tiles N bytes apart, then beside them.
none: it reads or writes alone. The L2 holds clean lines of other memory before.
"""

import numpy as np

from ssmsim.microbenchmarks.case import Loop, Unrecorded, u64

TILE, PLACES, THERE = 32 << 10, 64, 512 << 20


def layout(kind: str) -> np.ndarray:
    """Bytes to the next place, column and row."""
    if kind.startswith("rows"):
        pitch = int(kind[4:])
        return np.array((256 * pitch, 128, pitch), u64)
    if kind.startswith("heads"):
        return np.array((int(kind[5:]), TILE, 128), u64)
    return np.array((TILE, PLACES * TILE, 128), u64)


PITCHES = {"rows": (10240, 16384, 24576), "heads": (2621440, 4194304, 7340032)}
READS = [f"{kind}{pitch}" for kind, pitches in PITCHES.items() for pitch in pitches]
PAIRS = [
    *((read, "none") for read in [*READS, "flat"]),
    *((read, write) for read in ("rows10240", "heads2621440", "flat") for write in ("heads2621440", "flat")),
    *(("none", write) for write in ("heads2621440", "heads7340032", "flat")),
]
REPLAYED = ("rows10240.none.32", "flat.none.32", "rows10240.heads2621440.32", "flat.flat.32")
LOOPS = [
    Loop(
        f"{read}.{write}.{warps}",
        f"tiles_{'write' if read == 'none' else 'read' if write == 'none' else 'both'}",
        1,
        threads=32 * warps,
        blocks=132,
        args=(Unrecorded(1 << 30), u64(THERE), layout(read), layout(write)),
        bytes_per_operation=TILE // 4 * ((read != "none") + (write != "none")),
        rounds=(3, 9) if warps == 16 else (2, 5),
        replay=f"{read}.{write}.{warps}" in REPLAYED,
        cold=True,
    )
    for read, write in PAIRS
    for warps in (16, 32)
]
