"""Pairs of instructions side by side (shared pipes and ports), loop and branch cost, special-register reads."""

from ssmsim.microbenchmarks.case import Loop, f32, i32

MIXES = {  # name -> instructions per step
    "ffma_ffma": 2,
    "ffma_lop3": 2,
    "ffma_iadd3": 2,
    "ffma_imad": 2,
    "ffma_hfma2": 2,
    "imad_lop3": 2,
    "imad_hfma2": 2,
    "lop3_shf": 2,
    "lop3_f2fp": 2,
    "ffma2_lop3": 3,
    "ffma4_ex2": 5,
    "ffma8_ex2": 9,
    "lop3_4_ex2": 5,
    "ex2_shfl": 2,
    "ffma_shfl": 2,
}
LOOPS = (
    [
        Loop(
            f"{name}.{threads // 32}",
            f"mix_{name}",
            32 * each,
            threads=threads,
            args=(f32(1.5), i32(3)),
            rounds=(8, 40),
            replay=threads == 512,
        )
        for name, each in MIXES.items()
        for threads in (128, 512, 1024)
    ]
    + [
        Loop(
            f"loop.{threads // 32}",
            "loop",
            1,
            threads=threads,
            args=(f32(1.5), f32(2)),
            rounds=(100, 1100),
            replay=threads == 32,
        )
        for threads in (32, 128, 512, 1024)
    ]
    + [
        Loop(
            f"branches.{what}.{threads // 32}",
            "branches",
            16,
            threads=threads,
            args=(i32(selector), f32(2)),
            replay=threads == 32,
        )
        for selector, what in enumerate(("run", "skipped", "half"))
        for threads in (32, 512)
    ]
    + [
        Loop("clocks", "clocks", 16, args=(i32(0), i32(0))),
        Loop("special", "special", 16, args=(i32(0), i32(0))),
        Loop("special_wait", "special_wait", 16, args=(i32(0), i32(0))),
        Loop("register_wait", "register_wait", 16, args=(i32(0), i32(0)), replay=True),
    ]
)
