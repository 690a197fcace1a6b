"""LDGSTS beside HGMMAs of other warps: wavefronts of those that hit the L1 pass between the operands, as those of stores do.

COMPANY.KIND.M: cycles per round, in which one warpgroup has 4 x M HGMMAs and each of eight other warps 16 of KIND. none:
without HGMMAs. ca16, ca4: copies of four wavefronts and of one. cg16: copies past the L1 of lines that are in L2.
lds128: loads, to compare.
"""

from ssmsim.microbenchmarks.case import Loop, Random, i32
from ssmsim.microbenchmarks.programs.sm.mma_arithmetic_overlap import SETUP, hgmma
from ssmsim.microbenchmarks.programs.sm_memory.hgmma_shared_memory_contention import COMPANIES, GROUP
from ssmsim.microbenchmarks.programs.sm_memory.hgmma_shared_memory_contention import KINDS as LOADS

ARCHITECTURE = "90a"
WARPS = 8
COPY = 'asm volatile("cp.async.{via}.shared.global [%0], [%1], {bytes};" :: "r"({to}), "l"({at}) : "memory");'
KINDS = {
    "none": "",
    "ca16": COPY.format(via="ca", bytes=16, to="wide + (c & 3) * 4096", at="base + lane * 16 + (c & 3) * 512"),
    "ca4": COPY.format(
        via="ca", bytes=4, to="at + (warp - 4) * 128 + (c & 3) * 1024", at="base + lane * 4 + (c & 3) * 128"
    ),
    "cg16": COPY.format(
        via="cg",
        bytes=16,
        to="wide + (c & 3) * 4096",
        at="base + lane * 16 + (((i * 16 + c) * 8 + warp - 4) & 2047) * 512",
    ),
    "lds128": LOADS["lds128"],
}
COUNTS = {"none": [0], "ss64": [8, 24], "ss128": [4, 8, 16], "ss256": [2, 4, 8], "rs128": [4, 8, 16]}
REPLAYED = ("ss128.cg16.4", "ss128.ca16.4", "rs128.ca16.4", "ss64.ca4.8")
BODY = """
extern "C" __global__ void __launch_bounds__(384) alongside_{company}_{kind}(Record* out, int n, int m, const char* base) {{
    float d[{half}], t = 0;
    u32 k[8], s = 0, warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    u32 pool_at = (u32)__cvta_generic_to_shared(pool), at = pool_at + 65536 + lane * 4,
        wide = pool_at + 65536 + lane * 16 + (warp - 4) * 512;
    for (int i = threadIdx.x; i < 24576; i += blockDim.x) ((u32*)pool)[i] = 0;
    _Pragma("unroll") for (int j = 0; j < {half}; j++) d[j] = 0;
    _Pragma("unroll") for (int j = 0; j < 8; j++) k[j] = j + threadIdx.x;
    {setup}
    __syncthreads();
    u64 start = now();
    if (warp < 4) {{
        _Pragma("unroll 1") for (int i = 0; i < n * m; i++) {{ {work} }}
        {end}
    }} else {{
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {{
            _Pragma("unroll") for (int c = 0; c < 16; c++) {{ {step} }}
            asm volatile("cp.async.commit_group; cp.async.wait_group 1;" ::: "memory");
        }}
        asm volatile("cp.async.wait_group 0;" ::: "memory");
    }}
    _Pragma("unroll") for (int j = 0; j < {half}; j++) t += d[j];
    _Pragma("unroll") for (int j = 0; j < 8; j++) s ^= k[j];
    leave(out, start, (u32)t + s + r[0] + (u32)da + (u32)db + at);
}}
"""


def source() -> str:
    """The CUDA text: one kernel per company and kind."""
    text = '// Written by alongside.py.\n#include "common.cuh"\nextern __shared__ __align__(1024) char pool[];\n'
    wait = 'asm volatile("wgmma.wait_group.sync.aligned {};" ::: "memory");'
    for company, form in COMPANIES.items():
        for kind, step in KINDS.items():
            work = hgmma(*form) + wait.format(1) if form else ""
            text += BODY.format(company=company, kind=kind, half=form[1] // 2 if form else 1, setup=SETUP, work=work,
                                end=wait.format(0) if form else "", step=step)  # fmt: skip
    return text


LOOPS = [
    Loop(
        f"{company}.{kind}.{m}",
        f"alongside_{company}_{kind}",
        1,
        threads=32 * (GROUP + WARPS),
        shared=98304,
        args=(i32(m), Random(1 << 20)),
        rounds=(10, 50),
        replay=f"{company}.{kind}.{m}" in REPLAYED,
    )
    for company, counts in COUNTS.items()
    for m in counts
    for kind in KINDS
]
