"""NANOSLEEP: how long a warp sleeps, by the time that it asks for, in the instruction or in a register, alone and beside others.

imm.NS, register.NS: cycles from one sleep to the next of one warp; register.NS.W: of W warps of a block. each: cycles of 64 sleeps
in a row, of one warp and of a warp on every SM.
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import Loop, u32, u64

TIMES = (0, 20, 40, 100, 250, 648, 1000, 1245, 4000, 20000)  # ns; CUB's look-back asks for 648 and 1,245
LOOPS = [
    *(Loop(f"imm.{t}", f"nanosleep_imm_{t}", 1, replay=t in (40, 648, 1245)) for t in TIMES),
    *(Loop(f"register.{t}", "nanosleep_register", 1, args=(u32(t),)) for t in TIMES),
    *(
        Loop(f"register.{t}.{w}", "nanosleep_register", 1, threads=32 * w, args=(u32(t),))
        for t in (40, 1000)
        for w in (4, 16)
    ),
]


def each(session: Any) -> list[dict[str, Any]]:
    """Cycles of each of 64 sleeps of the first warp of every block."""
    found = []
    for grid, time in ((1, 0), (1, 100), (1, 648), (1, 1245), (132, 648), (132, 1245), (1, 8000)):
        out = session.buffer(grid * 64 * 4)
        session.launch("nanosleep_each", grid, 32, u64(out), u32(time))
        session.gpu.synchronize()
        cycles = session.gpu.download(out, grid * 64, np.uint32)
        session.release()
        found.append({"grid": grid, "ns": time, "cycles": cycles[: 64 * 4].tolist()})
    return found


MEASUREMENTS = [each]
