"""Blocks of four warps that copy a tile, await it behind a load, and multiply in a chain: whose warps issue, and what copies cost.

LAYOUT.SHARE.COPIES.BLOCKS.CHAIN: cycles per round, until the last block ends, in which each warp copies four rows of 128
bytes COPIES times, loads a word of the L2 behind them, does CHAIN x 64 FMULs in a row that begin with it, and the block
meets. rows4096: rows 4 KB apart, the next round's beside them, as Triton's loops over heads read; same4096: the same rows
in every round, from the L2. SHARE blocks in a row copy the same tile; BLOCKS on each SM. Of five chains in a sub-core, or
six, each would be delayed by the others in equal parts; on an H100 four go on as if alone and the younger blocks' wait.
Without a chain the L2 sets the pace: its slices and their links where no blocks share, what SMs ask for together where
they do. The L2 holds clean lines of other memory before.
"""

import numpy as np

from ssmsim.microbenchmarks.case import Loop, Unrecorded, Zeros, u32, u64

SMS, ROUNDS = 132, (4, 20)
REPLAYED = ("same4096.4.4.4.6", "same4096.4.4.5.6", "same4096.4.4.6.6", "same4096.4.4.8.6", "rows4096.4.4.6.6", "same4096.1.4.4.0",
            "same4096.2.4.6.0", "same4096.4.4.1.0")  # fmt: skip


def layout(kind: str, copies: int) -> np.ndarray:
    """Bytes to the next tile, to that of the next round, and to the next row."""
    pitch = int(kind[4:])
    return np.array((16 * copies * pitch, 0 if kind[:4] == "same" else 128, pitch), u64)


def case(kind: str, share: int, copies: int, blocks: int, chain: int) -> Loop:
    name = f"{kind}.{share}.{copies}.{blocks}.{chain}"
    return Loop(
        name,
        f"stages_{copies}",
        1,
        threads=128,
        blocks=SMS * blocks,
        shared=(216 << 10) // blocks // 1024 * 1024,
        args=(Unrecorded(3 << 30), layout(kind, copies), u32(share), u32(chain), Zeros(128)),
        rounds=ROUNDS,
        replay=name in REPLAYED,
        cold=True,
    )


LOOPS = [
    *(case("same4096", 4, 4, blocks, chain) for blocks in (1, 4, 5, 6, 8) for chain in (0, 6, 12)),
    *(case("same4096", share, 4, blocks, 0) for share in (1, 2, 8) for blocks in (1, 2, 4, 6, 8)),
    *(case("rows4096", share, 4, blocks, chain) for share in (1, 4) for blocks in (1, 6, 8) for chain in (0, 6)),
]
