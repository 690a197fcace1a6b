"""Loads from shared memory, stores and shuffles beside HGMMAs of other warps: who waits for whom.

COMPANY.KIND.M.WARPS: cycles per round, in which one warpgroup has 4 x M HGMMAs and each of so many other warps 16 of KIND.
none: without HGMMAs. chain: each load waits for the one before it.
"""

from ssmsim.microbenchmarks.case import Loop, i32, u32
from ssmsim.microbenchmarks.programs.sm.mma_arithmetic_overlap import SETUP, hgmma

ARCHITECTURE = "90a"
GROUP = 4  # warps that multiply
KINDS = {  # name -> instruction c of 16
    "lds": 'asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(k[c & 7]) : "r"(at + 512 * (c & 7)) : "memory");',
    "lds128": 'asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(k[c & 1]), "=r"(k[2 + (c & 1)]), '
    '"=r"(k[4 + (c & 1)]), "=r"(k[6 + (c & 1)]) : "r"(wide) : "memory");',
    "sts": 'asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(at + 512 * (c & 7)), "r"(k[c & 7]) : "memory");',
    "sts128": 'asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%2,%3,%4};" :: "r"(wide), "r"(k[0]), "r"(k[1]), '
    '"r"(k[2]), "r"(k[3]) : "memory");',
    "chain": '{ u32 v; asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(zero + s) : "memory"); s = v; }',
    "shfl": 'asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(k[c & 7]));',
}
COMPANIES = {"none": None, "ss64": ("ss", 64), "ss128": ("ss", 128), "ss256": ("ss", 256), "rs128": ("rs", 128)}
# Rounds that HGMMAs fill to some 70 % and to more than 100 % when the others take what they were seen to take.
CASES = {
    "none": {"lds.0.8", "lds128.0.8", "sts.0.8", "sts128.0.8", "chain.0.1", "chain.0.4", "chain.0.8", "shfl.0.8"},
    "ss64": {"lds.24.8", "lds128.48.8", "sts128.48.8", "chain.8.1"},
    "ss128": {"lds.1.8", "lds.2.8", "lds128.5.8", "lds128.8.8", "sts.1.8", "sts128.5.8", "sts128.8.8", "chain.2.1",
              "chain.2.4", "chain.3.8", "shfl.2.8"},
    "ss256": {"lds.1.8", "lds128.3.8", "lds128.4.8", "sts128.2.8", "sts128.3.8", "chain.1.1", "chain.1.4", "chain.1.8",
              "shfl.1.8"},
    "rs128": {"lds.1.8", "lds128.5.8", "lds128.8.8", "sts128.3.8", "sts128.5.8", "chain.1.1", "chain.1.4", "chain.2.8",
              "shfl.1.8"},
}  # fmt: skip
REPLAYED = (
    "ss64.lds128.48.8",
    "ss128.chain.2.1",
    "ss128.sts128.5.8",
    "ss256.chain.1.8",
    "ss256.lds128.3.8",
    "rs128.shfl.1.8",
)
BODY = """
extern "C" __global__ void __launch_bounds__(384) tandem_{company}_{kind}(Record* out, int n, int m, u32 others) {{
    float d[{half}], t = 0;
    u32 k[8], s = 0, warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    u32 pool_at = (u32)__cvta_generic_to_shared(pool), at = pool_at + 65536 + lane * 4, zero = at + 16384,
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
    }} else if (warp < 4 + others) {{
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {{
            _Pragma("unroll") for (int c = 0; c < 16; c++) {{ {step} }}
        }}
    }}
    _Pragma("unroll") for (int j = 0; j < {half}; j++) t += d[j];
    _Pragma("unroll") for (int j = 0; j < 8; j++) s ^= k[j];
    leave(out, start, (u32)t + s + r[0] + (u32)da + (u32)db);
}}
"""


def source() -> str:
    """The CUDA text: one kernel per company and kind."""
    text = '// Written by tandem.py.\n#include "common.cuh"\nextern __shared__ __align__(1024) char pool[];\n'
    wait = 'asm volatile("wgmma.wait_group.sync.aligned {};" ::: "memory");'
    for company, form in COMPANIES.items():
        for kind, step in KINDS.items():
            work = hgmma(*form) + wait.format(1) if form else ""
            text += BODY.format(company=company, kind=kind, half=form[1] // 2 if form else 1, setup=SETUP, work=work,
                                end=wait.format(0) if form else "", step=step)  # fmt: skip
    return text


LOOPS = [
    Loop(
        f"{company}.{case}",
        f"tandem_{company}_{case.split('.')[0]}",
        1,
        threads=32 * (GROUP + 8),
        shared=98304,
        args=(i32(int(case.split(".")[1])), u32(int(case.split(".")[2]))),
        rounds=(10, 50),
        replay=f"{company}.{case}" in REPLAYED,
    )
    for company, cases in CASES.items()
    for case in sorted(cases)
]
