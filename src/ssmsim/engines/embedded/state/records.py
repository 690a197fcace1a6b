"""How state is kept: arrays of records, a type for each hardware structure, declared beside its unit, allocated in machine.py.

Every field is int64: one width compiles to one load, and with the JIT off narrower fields would overflow (NumPy 2).
Times are SM cycles; names ending in _fp are fixed point with FP fraction bits, for rates that are not whole cycles.
"""

from typing import Any

import numpy as np

Records = Any  # an array of records, whose fields mypy does not see

HOST_LINE = 64  # bytes in a line of the cache of the machine that simulates
FP = 8  # fraction bits of fixed-point times
PORT_FP = 16  # fraction bits of a port's cycles per byte
INF = 1 << 60  # "not before something wakes it"
NONE = -1
EXITED = -2  # in Warp.held: past the last instruction. NONE there: waits for its stores; n > 0: at barrier n - 1

MAX_BARRIERS = 16  # named barriers of a block, PTX ISA
MAX_BLOCK_WARPS = 32  # 1024 threads
LANDINGS = 8  # lines of copies that may still be written: one comes per cycle at most and takes four
COPY_GROUPS = 64  # LDGDEPBAR groups in flight per warp: the scoreboard counter has 6 bits
COUNTER_BITS = 10  # per dependency counter in Warp.scoreboard, wider than the hardware's 6: overflow is checked
COUNTER_MASK = (1 << COUNTER_BITS) - 1
STREAM_BIT = (
    6 * COUNTER_BITS
)  # above the counters: the rest of the warp's stream is not known (feed/execution_driven.py)

OFF_BIT = 30  # in the pool's stream: set when the instruction is on in no lane
GIVE_BIT = 29  # set when the warp gives registers back before it
INDEX = (1 << GIVE_BIT) - 1


def record(*fields: str | tuple[str, int | np.dtype], whole_lines: bool = False) -> np.dtype:
    """Fields by name; (name, length) is an array, (name, record) a record within.

    whole_lines: padded, so that the fields named first share a line of the host's cache in every record.
    """
    packed = np.dtype([field(f) for f in fields])
    size = -(-packed.itemsize // HOST_LINE) * HOST_LINE if whole_lines else packed.itemsize
    formats, offsets = zip(*(packed.fields[name] for name in packed.names), strict=True)  # type: ignore[index,union-attr]
    return np.dtype({"names": packed.names, "formats": formats, "offsets": offsets, "itemsize": size})  # type: ignore[call-overload]


def field(name: str | tuple[str, int | np.dtype]) -> tuple:
    if isinstance(name, str):
        return name, np.int64
    return name if isinstance(name[1], np.dtype) else (name[0], np.int64, (name[1],))


def records(dtype: np.dtype, count: int) -> Records:
    """`count` zeroed records with attribute access, compiled or not; the first begins a line of the host's cache."""
    room = np.zeros(count * dtype.itemsize + HOST_LINE, np.uint8)
    first = -room.ctypes.data % HOST_LINE
    return room[first : first + count * dtype.itemsize].view(dtype).view(np.recarray)
