"""Bulk copies into shared memory beside HGMMAs: what each costs the other.

COMPANY.KIND.M: cycles per round, in which one warpgroup has 4 x M HGMMAs and another warp a bulk copy of 16 KB from L2, of
which four are on their way. none: without HGMMAs; alone: without copies.
"""

from dataclasses import replace

from ssmsim.microbenchmarks.case import Loop, i32, u32
from ssmsim.microbenchmarks.case import Zeros as Buffer
from ssmsim.microbenchmarks.programs.sm.mma_arithmetic_overlap import SETUP, hgmma
from ssmsim.microbenchmarks.programs.sm_memory.hgmma_shared_memory_contention import COMPANIES, GROUP

ARCHITECTURE = "90a"
SIZE, DEPTH, REGION = 16384, 4, 4 << 20
COUNTS = {"none": [0], "ss64": [2, 4, 8], "ss128": [1, 2, 4], "ss256": [1, 2], "rs128": [1, 2, 4]}
BODY = """
extern "C" __global__ void __launch_bounds__(160) beside_{company}_{kind}(Record* out, int n, int m, const char* base, u32 region) {{
    __shared__ u64 bar[{depth}];
    float d[{half}], t = 0;
    u32 k[8], s = 0, warp = threadIdx.x >> 5;
    u32 pool_at = (u32)__cvta_generic_to_shared(pool), b = shared_address(bar), to = pool_at + 65536, from = 0;
    for (int i = threadIdx.x; i < 16384; i += blockDim.x) ((u32*)pool)[i] = 0;
    _Pragma("unroll") for (int j = 0; j < {half}; j++) d[j] = 0;
    _Pragma("unroll") for (int j = 0; j < 8; j++) k[j] = j + threadIdx.x;
    {setup}
    if (threadIdx.x == 0) {{ for (int i = 0; i < {depth}; i++) init(b + 8 * i, 1); fence_init(); }}
    __syncthreads();
    u64 start = now();
    if (warp < 4) {{
        _Pragma("unroll 1") for (int i = 0; i < n * m; i++) {{ {work} }}
        {end}
    }} else if ({copies}) {{
        bool mine = elected();
        u32 stage = 0, parity = 0;
        for (u32 i = 0; i < {depth}; i++) {{
            if (mine) {{ expect(b + 8 * i, {size}); load_bulk(to + i * {size}, base + from, {size}, b + 8 * i); }}
            from = from + {size} & region - 1;
        }}
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {{
            wait(b + 8 * stage, parity);
            if (mine) {{ expect(b + 8 * stage, {size}); load_bulk(to + stage * {size}, base + from, {size}, b + 8 * stage); }}
            from = from + {size} & region - 1;
            stage++;
            if (stage == {depth}) {{ stage = 0; parity ^= 1; }}
        }}
        for (u32 i = 0; i < {depth}; i++) {{
            wait(b + 8 * stage, parity);
            stage++;
            if (stage == {depth}) {{ stage = 0; parity ^= 1; }}
        }}
    }}
    _Pragma("unroll") for (int j = 0; j < {half}; j++) t += d[j];
    _Pragma("unroll") for (int j = 0; j < 8; j++) s ^= k[j];
    leave(out, start, (u32)t + s + r[0] + (u32)da + (u32)db + from);
}}
"""


def source() -> str:
    """The CUDA text: one kernel per company and kind."""
    text = '#include "async.cuh"\nextern __shared__ __align__(1024) char pool[];\n'
    wait = 'asm volatile("wgmma.wait_group.sync.aligned {};" ::: "memory");'
    for company in COUNTS:
        form = COMPANIES[company]
        for kind in ("alone", "copies"):
            work = hgmma(*form) + wait.format(1) if form else ""
            text += BODY.format(company=company, kind=kind, half=form[1] // 2 if form else 1, setup=SETUP, work=work,
                                end=wait.format(0) if form else "", copies=int(kind == "copies"), size=SIZE, depth=DEPTH)  # fmt: skip
    return text


LOOPS = [
    Loop(
        f"{company}.{kind}.{m}",
        f"beside_{company}_{kind}",
        1,
        threads=32 * (GROUP + 1),
        shared=65536 + DEPTH * SIZE,
        args=(i32(m), Buffer(REGION), u32(REGION)),
        rounds=(20, 120),
    )
    for company, counts in COUNTS.items()
    for m in counts
    for kind in ("alone", "copies")
    if company != "none" or kind == "copies"
]
REPLAYED = (
    "ss64.copies.2",
    "ss128.copies.1",
    "ss256.copies.1",
    "none.copies.0",
)
LOOPS = [replace(case, replay=case.name in REPLAYED) for case in LOOPS]
