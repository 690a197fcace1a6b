"""Additions in the L2 whose lanes share words: what the lanes of one instruction that name the same word cost.

KIND.SHARE.PLACE: cycles per addition of each of four warps per SM. SHARE lanes beside each other name one element (32: all);
`x2` to `x16`: lanes that far apart do. PLACE: sm, one SM, each warp its own line; all, all SMs, each warp its own line, which
moves through 4 MB; one, all SMs, one line; eight, all SMs, eight lines. f32, u32, max (of u32), u64, f64 and bf16x2 give no value
back, atom (f32) and cas (compare and swap) do. counted gives ncu's requests and sectors of the L2 for them.
"""

from collections.abc import Iterator
from typing import Any

from ssmsim.microbenchmarks.case import Loop, Zeros, i32, u32, u64

REGION, LINE, WARPS = 4 << 20, 128, 4
BUFFER = REGION + LINE  # 32 elements of 8 bytes reach into the next line
SIZES = {"f32": 4, "atom": 4, "u32": 4, "max": 4, "u64": 8, "f64": 8, "bf16x2": 4, "cas": 4}
SHARES = {"1": (1, 32), "2": (2, 32), "4": (4, 32), "8": (8, 32), "16": (16, 32), "32": (32, 32),
          "x2": (1, 2), "x8": (1, 8), "x16": (1, 16)}  # fmt: skip
SMS = 132
PLACES = {
    "sm": (1, WARPS, 0),
    "all": (SMS, REGION // LINE, SMS * WARPS * LINE),
    "one": (SMS, 1, 0),
    "eight": (SMS, 8, 0),
}
BRIEF = ("1", "2", "32")
CASES = [
    (kind, share, place)
    for kind in SIZES
    for share in SHARES
    for place in PLACES
    if kind == "f32" or (share in BRIEF and place != "eight") or (kind in ("bf16x2", "u64") and share in BRIEF)
]
REPLAYED = {
    "f32": [(share, place) for share in ("1", "2", "8", "32") for place in ("sm", "all")]
    + [("2", "one"), ("8", "one"), ("x8", "all"), ("x8", "one"), ("8", "eight")],
    "u32": [("32", "sm"), ("32", "all"), ("2", "one")],
    "u64": [("1", "sm"), ("1", "all"), ("1", "one"), ("2", "one"), ("2", "eight")],
    "f64": [("1", "all"), ("1", "one")],
    "bf16x2": [("2", "all"), ("2", "one"), ("2", "eight")],
    "cas": [("1", "all"), ("1", "one")],
    "max": [("32", "sm")],
}


def _numbers(kind: str, share: str, place: str) -> tuple[int, ...]:
    near, apart = SHARES[share]
    _, places, move = PLACES[place]
    return places, LINE, near, apart, SIZES[kind], move, REGION - 1


LOOPS = [
    Loop(f"{kind}.{share}.{place}", f"conflicts_{kind}", 1, threads=32 * WARPS, blocks=PLACES[place][0],
         args=(Zeros(BUFFER), *map(u32, _numbers(kind, share, place))),
         replay=(share, place) in REPLAYED.get(kind, ()))
    for kind, share, place in CASES
]  # fmt: skip

METRICS = [
    (
        "none",
        [
            "lts__t_requests.sum",
            "lts__t_sectors.sum",
            "lts__t_sectors_op_red.sum",
            "lts__t_sectors_op_atom.sum",
            "lts__t_sectors_op_read.sum",
            "lts__t_sectors_op_write.sum",
            "lts__t_tag_requests.sum",
            "l1tex__m_l1tex2xbar_write_bytes.sum",
            "l1tex__m_xbar2l1tex_read_sectors.sum",
            "l1tex__data_bank_writes.sum",
            "smsp__inst_executed.sum",
        ],
    )
]
ROUNDS = 100
SECONDS = 180


def counted(session: Any) -> Iterator[str]:
    region, out = session.buffer(BUFFER), session.buffer(32 * SMS * WARPS)
    for kind, share, place in CASES:
        blocks = PLACES[place][0]
        session.launch(f"conflicts_{kind}", blocks, 32 * WARPS, u64(out), i32(ROUNDS), u64(region),
                       *map(u32, _numbers(kind, share, place)))  # fmt: skip
        session.gpu.synchronize()
        yield f"{kind}.{share}.{place}"
