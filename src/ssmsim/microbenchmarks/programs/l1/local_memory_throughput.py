"""Local memory: what stores to it cost beyond the L1, what the L1 keeps, and how much of it.

KIND.WARPS.BLOCKS: cycles per word that a warp stores or loads. storeN: N words over and over; loadN: N words, stored once;
bothN: stored, then loaded; againN: one word N times in a round, of which ptxas leaves one. BLOCKS of 132 are on all
SMs; 16 warps with 100 KB of shared memory, which leaves 117 KB of L1: 64 words of 16 warps are 128 KB. counted: sectors
that reach the L1 and the L2.
"""

from collections.abc import Iterator
from typing import Any

from ssmsim.microbenchmarks.case import Loop, i32, u64

WORDS = {
    "store16": 16,
    "store64": 64,
    "load16": 16,
    "load32": 32,
    "load64": 64,
    "load128": 128,
    "both16": 32,
    "both64": 128,
}
WORDS |= {"again1": 1, "again16": 16}
SHARED = {1: 0, 4: 0, 16: 100 << 10}
REPLAYED = ("store16.1.1", "store16.4.1", "store16.16.1", "load64.16.1", "both16.4.1", "both16.16.1", "both64.1.1", "both64.4.1",
            "both64.16.1", "both64.16.132")  # fmt: skip
LOOPS = [
    Loop(
        f"{kind}.{warps}.{blocks}",
        f"local_{kind}",
        operations,
        threads=32 * warps,
        blocks=blocks,
        shared=SHARED[warps],
        bytes_per_operation=128,
        replay=f"{kind}.{warps}.{blocks}" in REPLAYED,
    )
    for kind, operations in WORDS.items()
    for warps, blocks in ((1, 1), (4, 1), (16, 1), (4, 132), (16, 132))
    if kind != "load128" or warps < 16  # its registers do not fit
]
METRICS = [
    ("none", ["lts__t_sectors_op_write.sum", "lts__t_sectors_op_read.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
              "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sector_hit_rate.pct"])
]  # fmt: skip
COUNTED_ROUNDS = 100


def counted(session: Any) -> Iterator[str]:
    """100 rounds of 4 and of 16 warps on each SM."""
    out = session.buffer(132 * 16 * 32)
    for kind in WORDS:
        for warps in (4, 16) if kind != "load128" else (4,):
            session.launch(f"local_{kind}", 132, 32 * warps, u64(out), i32(COUNTED_ROUNDS), shared=SHARED[warps])
            session.gpu.synchronize()
            yield f"{kind}.{warps}"
