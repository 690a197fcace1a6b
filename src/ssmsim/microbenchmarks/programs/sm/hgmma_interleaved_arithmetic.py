"""HGMMAs with arithmetic between them, as the chunk_scan_bwd kernels have them: 4 of one group, G multiplications behind each.

NAME.N.G.WARPGROUPS: cycles per round of one group, awaited at its end.
"""

from ssmsim.microbenchmarks.case import Loop, Zeros, f32, i32
from ssmsim.microbenchmarks.programs.sm import mma_arithmetic_overlap

ARCHITECTURE = "90a"
KINDS = ("fmul2", "ffma3", "lop3")
WIDTHS = (32, 128)
GAPS = (0, 4, 16, 32, 64)


def source() -> str:
    """The CUDA text: one kernel per kind, width and gap."""
    text = '// Written by apart.py.\n#include "common.cuh"\nextern __shared__ __align__(1024) char pool[];\n'
    for kind in KINDS:
        for n in WIDTHS:
            for gap in GAPS:
                half = n // 2
                results = ", ".join(f"%{k}" for k in range(half))
                outputs = ", ".join(f'"+f"(d[{k}])' for k in range(half))
                between = f'_Pragma("unroll") for (int e = 0; e < {gap}; e++) {{ const int j = e & 7; {mma_arithmetic_overlap.KINDS[kind]} }}'
                before = f"""asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int c = 0; c < 4; c++) {{
            asm volatile("{{wgmma.mma_async.sync.aligned.m64n{n}k16.f32.bf16.bf16 "
                "{{{results}}}, %{half}, %{half + 1}, 1, 1, 1, 0, 0;}}" : {outputs} : "l"(da + 2 * c), "l"(db + 2 * c));
            {between}
        }}
        asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");"""
                text += mma_arithmetic_overlap.BODY.format(
                    program="apart",
                    name=f"{n}_{gap}",
                    kind=kind,
                    half=half,
                    setup=mma_arithmetic_overlap.SETUP,
                    before=before,
                    step="",
                    after="",
                )
    return text


LOOPS = [
    Loop(
        f"{kind}.{n}.{gap}.{threads // 128}",
        f"apart_{n}_{gap}_{kind}",
        4,
        threads=threads,
        shared=98304,
        args=(i32(0), f32(1.0), Zeros(1 << 14)),
        replay=kind == "fmul2" and threads == 128 and (n, gap) in ((128, 64), (32, 32)),
    )
    for kind in KINDS
    for n in WIDTHS
    for gap in GAPS
    for threads in (128, 256)
]
