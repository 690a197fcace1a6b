"""Reads from DRAM in pieces of 64 to 2048 bytes, each once and far from the one before: what opening rows costs, and waiting.

KIND.PIECE.WARPS: cycles per round in which each of so many warps of all SMs loads 2 KB and awaits them; both: it then
stores as much in one piece. write: stores alone. KIND.PIECE.WARPS.PACE: with a chain of PACE FMULs in each round, so
that DRAM has less to do. The L2 holds clean lines of other memory before.
"""

from ssmsim.microbenchmarks.case import Loop, Unrecorded, i32, u64

THERE, EACH = 512 << 20, 2048
ROUNDS = {2: (20, 100), 4: (16, 80), 8: (14, 60), 16: (8, 30), 32: (4, 16)}
REPLAYED = ("read.64.8", "read.64.32", "read.128.8", "read.128.8.512", "read.128.32", "read.512.16", "read.512.32", "both.64.32",
            "both.128.4", "both.128.8", "both.128.32", "both.512.32")  # fmt: skip


def case(kind: str, piece: int, warps: int, pace: int = 0) -> Loop:
    kernel = {"read": f"pieces_{piece}", "both": f"pieces_store_{piece}", "write": "pieces_write"}[kind]
    name = f"{kind}.{piece}.{warps}" + (f".{pace}" if pace else "")
    return Loop(
        name,
        kernel,
        1,
        threads=32 * warps,
        blocks=132,
        args=(Unrecorded(1 << 30), u64(THERE), i32(pace)),
        rounds=ROUNDS[warps],
        bytes_per_operation=EACH * (2 if kind == "both" else 1),
        replay=name in REPLAYED,
        cold=True,
    )


LOOPS = [
    *(case("read", piece, warps) for piece in (64, 128, 256, 512, 2048) for warps in (8, 16, 32)),
    *(case("both", piece, warps) for piece in (64, 128, 256, 512) for warps in (8, 16, 32)),
    *(case("write", 512, warps) for warps in (16, 32)),
    *(case(kind, 128, 8, pace) for kind in ("read", "both") for pace in (128, 256, 512, 1024)),
    *(case(kind, piece, warps) for kind in ("read", "both") for piece in (128, 512) for warps in (2, 4)),
]
