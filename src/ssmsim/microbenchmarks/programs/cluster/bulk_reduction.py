"""Bulk reductions into another block's shared memory: latency and bandwidth, beside plain bulk copies.

OPERATION.SIZE.DISTANCE.BYTES.dDEPTH(.all): each block of a cluster of SIZE reduces into the shared memory of the block DISTANCE
ranks on; a round waits for the oldest of DEPTH and starts another. all: every SM works.
"""

from ssmsim.microbenchmarks.case import Loop, u32

ARCHITECTURE = "90a"
OPERATIONS = ("copy_remote", "add_u32", "min_s32", "inc_u32", "xor_b32", "add_u64")
BYTES = (16, 128, 1024, 8192)
REPLAYED = (
    "add_u32.2.1.16.d1",
    "add_u32.2.1.1024.d1",
    "add_u32.2.1.8192.d1",
    "add_u32.2.1.8192.d4",
    "add_u32.4.1.8192.d4.all",
    "min_s32.2.1.8192.d4",
    "add_u64.2.1.8192.d4",
)


def case(operation: str, size: int, distance: int, work: tuple[int, int], blocks: int = 0) -> Loop:
    count, depth = work
    name = f"{operation}.{size}.{distance}.{count}.d{depth}" + (".all" if blocks else "")
    return Loop(
        name, f"{operation}_{size}", 1, blocks=blocks or size, shared=160 << 10, args=(u32(distance), u32(count), u32(depth)),
        bytes_per_operation=count, cluster=size, replay=name in REPLAYED,
    )  # fmt: skip


LOOPS = [case(op, 2, 1, (count, depth)) for op in OPERATIONS for count in BYTES for depth in (1, 4)]
LOOPS += [case(op, size, 1, (8192, 4), 128) for op in ("copy_remote", "add_u32") for size in (2, 4)]
LOOPS += [
    case(op, 2, 0, (count, depth)) for op in ("copy_remote", "add_u32") for count in (128, 8192) for depth in (1, 4)
]
LOOPS += [case(op, 4, 1, (count, 1)) for op in ("copy_remote", "add_u32") for count in (128, 8192)]
