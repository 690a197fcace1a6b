"""Cycles per BAR.SYNC, warp barrier, fence and store-barrier-load exchange for 1 to 32 warps in a block."""

from ssmsim.microbenchmarks.case import Loop, i32

LOOPS = [
    Loop(f"{kernel}.{warps}", kernel, 16, threads=32 * warps, args=(i32(0), i32(0)), replay=kernel == "sync")
    for kernel in ("sync", "sync_warp", "membar_cta", "membar_gl", "fence_async")
    for warps in (1, 2, 4, 8, 16, 32)
] + [
    Loop(f"exchange.{warps}", "exchange", 1, threads=32 * warps, shared=4096, args=(i32(0), i32(0)), replay=True)
    for warps in (2, 4, 8, 16, 32)
]
