"""Latency and rate of one instruction at a time: dependent chain in one warp; 8 independent chains in 1 to 32 warps."""

import numpy as np

from ssmsim.microbenchmarks.case import Loop, f32, i32, u64

# name -> (parameter type, instructions of interest per step, SASS)
OPERATIONS = {
    "ffma": (f32, 1, "FFMA"),
    "fadd": (f32, 1, "FADD"),
    "fmul": (f32, 1, "FMUL"),
    "fmnmx": (f32, 2, "FMNMX"),
    "fsetp": (f32, 2, "FSETP, FSEL"),
    "isetp": (i32, 2, "ISETP, SEL"),
    "imad": (i32, 1, "IMAD"),
    "imad_hi": (i32, 1, "IMAD.HI"),
    "imad_wide": (u64, 1, "IMAD.WIDE"),
    "iadd3": (i32, 1, "IADD3"),
    "lop3": (i32, 1, "LOP3"),
    "shf": (i32, 1, "SHF"),
    "prmt": (i32, 1, "PRMT"),
    "vimnmx": (i32, 2, "VIMNMX"),
    "popc": (i32, 1, "POPC"),
    "flo": (i32, 1, "FLO"),
    "brev": (i32, 2, "BREV, IADD"),
    "mufu_ex2": (f32, 1, "MUFU.EX2"),
    "mufu_rcp": (f32, 2, "MUFU.RCP, FADD"),
    "mufu_rsq": (f32, 1, "MUFU.RSQ"),
    "mufu_lg2": (f32, 1, "MUFU.LG2"),
    "mufu_tanh": (f32, 1, "MUFU.TANH"),
    "i2fp": (i32, 1, "I2FP"),
    "f2i": (i32, 1, "F2I"),
    "frnd": (f32, 1, "FRND"),
    "f2fp_bf16": (i32, 1, "F2FP.BF16.F32.PACK_AB"),
    "f2f_f64": (np.float64, 2, "F2F.F32.F64, F2F.F64.F32"),
    "hfma2_bf16": (i32, 1, "HFMA2.BF16, HFMA2.MMA.BF16"),
    "hfma2": (i32, 1, "HFMA2, HFMA2.MMA"),
    "hadd2": (i32, 1, "HADD2, HFMA2.MMA"),
    "dfma": (np.float64, 1, "DFMA"),
    "dadd": (np.float64, 1, "DADD"),
    "shfl_bfly": (i32, 1, "SHFL.BFLY"),
    "shfl_up": (i32, 1, "SHFL.UP"),
    "shfl_idx": (i32, 1, "SHFL.IDX"),
    "vote": (i32, 2, "ISETP, VOTE"),
    "redux": (i32, 1, "REDUX, MOV"),
}
REPLAYED = (
    "ffma",
    "imad",
    "iadd3",
    "lop3",
    "isetp",
    "mufu_ex2",
    "f2fp_bf16",
    "i2fp",
    "shfl_bfly",
    "hfma2_bf16",
    "dfma",
)
LOOPS = [
    Loop(f"{name}.chain", f"{name}_chain", 64, args=(t(3), t(5)), rounds=(8, 40), replay=name in REPLAYED)
    for name, (t, _, _) in OPERATIONS.items()
] + [
    Loop(
        f"{name}.rate.{threads // 32}",
        f"{name}_rate",
        64,
        threads=threads,
        args=(t(3), t(5)),
        rounds=(8, 40),
        replay=name in REPLAYED and threads == 512,
    )
    for name, (t, _, _) in OPERATIONS.items()
    for threads in (32, 128, 512, 1024)
]
