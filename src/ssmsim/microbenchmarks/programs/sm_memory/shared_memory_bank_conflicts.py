"""Shared memory: latency of LDS, LDSM, ATOMS; cycles per warp instruction by width and lane stride (bank conflicts)."""

from ssmsim.microbenchmarks.case import Loop, i32, u32

STRIDES = {
    "lds32": (0, 4, 8, 16, 32, 64, 128),
    "lds64": (8, 16, 32, 64, 128),
    "lds128": (16, 32, 64, 128, 144),
    "sts32": (0, 4, 8, 16, 32, 64, 128),
    "sts64": (8, 16, 32, 64, 128),
    "sts128": (16, 32, 64, 128, 144),
    "ldsm1": (16, 32, 64, 128, 144),
    "ldsm2": (16, 128, 144),
    "ldsm4": (16, 32, 64, 128, 144),
    "ldsm4t": (16, 128, 144),
    "stsm4": (16, 128, 144),
    "atoms": (0, 4, 8, 128),
    "lds_ffma": (4,),
}
WIDTH = {"32": 128, "64": 256, "128": 512, "m1": 128, "m2": 256, "m4": 512, "4t": 512}
LOOPS = (
    [
        Loop(f"{name}.chain", f"{name}_chain", 16, shared=32768, args=(i32(4096), i32(0)), replay=True)
        for name in ("lds32", "lds64", "lds128", "ldsm1", "ldsm4", "atoms")
    ]
    + [
        Loop(
            f"{name}.stride{stride}.{threads // 32}",
            f"{name}_rate",
            16,
            threads=threads,
            shared=32768,
            args=(i32(16384), i32(stride), i32(0), u32(0xFFFFFFFF)),
            replay=threads == 512
            and stride in (4, 8, 16, 32, 128, 144)
            and name not in ("lds_ffma", "ldsm2", "ldsm4t", "stsm4"),
            bytes_per_operation=next((b for w, b in WIDTH.items() if name.endswith(w)), 128),
        )
        for name, strides in STRIDES.items()
        for stride in strides
        for threads in (32, 128, 512, 1024)
    ]
    + [
        Loop(
            f"{name}.stride{stride}.warps{'_'.join(str(w) for w in chosen)}",
            f"{name}_rate",
            16,
            threads=512,
            shared=32768,
            args=(i32(16384), i32(stride), i32(0), u32(sum(1 << w for w in chosen))),
            replay=stride == 128 and name != "ldsm4" and len(chosen) < 4,
        )
        for name, strides in (
            ("lds32", (4, 128)),
            ("sts32", (4, 128)),
            ("lds128", (16,)),
            ("sts128", (16,)),
            ("ldsm4", (16, 128)),
        )
        for stride in strides
        for chosen in (
            (0,),
            (0, 1),
            (0, 2),
            (0, 3),
            (1, 2),
            (0, 4),
            (0, 4, 8, 12),
            (0, 1, 4, 5),
            (0, 2, 4, 6),
            (0, 1, 2, 3),
        )
    ]
)
