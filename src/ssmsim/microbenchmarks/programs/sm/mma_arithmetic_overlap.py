"""Arithmetic while the tensor cores work: what a running HGMMA or HMMA takes from it, register bandwidth before all.

Each warp of one or two warpgroups issues 4 HGMMA m64nNk16, then 64 x m instructions of one kind, then waits for the
HGMMAs; hmma: 3 or 6 of the kind behind each HMMA.
"""

from ssmsim.microbenchmarks.case import Loop, Zeros, f32, i32

ARCHITECTURE = "90a"
KINDS = {  # name -> instruction on chain j of 8; f, g, h: floats of their own; k, p, q: words
    "ffma3": 'asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(f[j]) : "f"(g[j]), "f"(h[j]));',
    "ffma1": 'asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(f[j]) : "f"(g[0]), "f"(h[0]));',
    "fmul2": 'asm volatile("mul.f32 %0, %0, %1;" : "+f"(f[j]) : "f"(g[j]));',
    "fmul1": 'asm volatile("mul.f32 %0, %0, 0f3F8CCCCD;" : "+f"(f[j]));',
    "lop3": 'asm volatile("lop3.b32 %0, %0, %1, %2, 0xe8;" : "+r"(k[j]) : "r"(p[j]), "r"(q[j]));',
    "imad": 'asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(k[j]) : "r"(p[j]), "r"(q[j]));',
    "hfma2": 'asm volatile("fma.rn.bf16x2 %0, %0, %1, %2;" : "+r"(k[j]) : "r"(p[j]), "r"(q[j]));',
    "shfl": 'asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(k[j]));',
    "ex2": 'asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f[j]));',
    "lds": 'asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(k[j]) : "r"(at + 4 * j) : "memory");',
    "lds128": 'asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(k[j]), "=r"(k[j + 1 & 7]), '
    '"=r"(k[j + 2 & 7]), "=r"(k[j + 3 & 7]) : "r"(wide) : "memory");',
    "sts": 'asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(at + 128 * j), "r"(k[j]) : "memory");',
    "sts128": 'asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%2,%3,%4};" :: "r"(wide), "r"(k[0]), "r"(k[1]), '
    '"r"(k[2]), "r"(k[3]) : "memory");',
}
COMPANIES = ("alone", "ss64", "ss128", "ss256", "rs128", "hmma3", "hmma6")
BODY = """
KERNEL {program}_{name}_{kind}(Record* out, int n, int m, float a, u32* base) {{
    float d[{half}], f[8], g[8], h[8];
    u32 k[8], p[8], q[8], s = 0;
#pragma unroll
    for (int j = 0; j < {half}; j++) d[j] = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) {{
        f[j] = a + j + threadIdx.x; g[j] = a * (j + 1) + threadIdx.x; h[j] = a - (j + 1) * threadIdx.x;
        k[j] = j + threadIdx.x; p[j] = (j + 3) * threadIdx.x; q[j] = (j + 1) * 5 ^ threadIdx.x;
    }}
    u32 pool_at = (u32)__cvta_generic_to_shared(pool), at = pool_at + 65536 + threadIdx.x * 4,
        wide = pool_at + 65536 + threadIdx.x * 16;
    base += threadIdx.x;
    {setup}
    __syncthreads();
    u64 start = now();
#pragma unroll 1
    for (int i = 0; i < n; i++) {{
        {before}
#pragma unroll 1
        for (int r = 0; r < m; r++) {{
            {step}
        }}
        {after}
    }}
    float t = 0;
#pragma unroll
    for (int j = 0; j < {half}; j++) t += d[j];
#pragma unroll
    for (int j = 0; j < 8; j++) {{ t += f[j] + g[j] + h[j]; s ^= k[j] ^ p[j] ^ q[j]; }}
    leave(out, start, (u32)t + s);
}}
"""
SETUP = """u32 r[4] = {threadIdx.x, threadIdx.x * 3u, threadIdx.x * 5u, threadIdx.x * 7u}, group = threadIdx.x >> 7;
    u64 flags = (1ull << 62) | (64ull << 32) | (1ull << 16);
    u64 da = flags | (((pool_at + group * 8192) & 0x3FFFF) >> 4), db = flags | (((pool_at + 32768) & 0x3FFFF) >> 4);"""
HMMA = (
    'asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, '
    '{%0,%1,%2,%3};" : "+f"(d[o]), "+f"(d[o + 1]), "+f"(d[o + 2]), "+f"(d[o + 3]) '
    ': "r"(k[0]), "r"(k[1]), "r"(k[2]), "r"(k[3]), "r"(p[0]), "r"(p[1]));'
)


def hgmma(form: str, n: int) -> str:
    """Four HGMMAs of one group, as inline PTX."""
    half = n // 2
    results = ", ".join(f"%{k}" for k in range(half))
    outputs = ", ".join(f'"+f"(d[{k}])' for k in range(half))
    names = f"%{half}, %{half + 1}"
    inputs = '"l"(da + 2 * c), "l"(db + 2 * c)'
    if form == "rs":
        names = "{" + ", ".join(f"%{half + k}" for k in range(4)) + "}" + f", %{half + 4}"
        inputs = '"r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(db + 2 * c)'
    flags = ", 0, 0" if form == "ss" else ", 0"
    return f"""asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int c = 0; c < 4; c++)
            asm volatile("{{wgmma.mma_async.sync.aligned.m64n{n}k16.f32.bf16.bf16 "
                "{{{results}}}, {names}, 1, 1, 1{flags};}}" : {outputs} : {inputs});
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");"""


def kernels(program: str, kind: str, one: str, companies: tuple[str, ...]) -> str:
    """One kernel per company: `one` alone, beside an HGMMA (ss or rs and its n) or behind each HMMA (hmma and how many)."""
    text = ""
    for company in companies:
        step = f'_Pragma("unroll") for (int c = 0; c < 64; c++) {{ const int j = c & 7; {one} }}'
        parts = {"half": 1, "setup": "", "before": "", "after": ""}
        if company.startswith("hmma"):
            parts["half"], each = 32, company.removeprefix("hmma")
            step = (
                f'_Pragma("unroll") for (int c = 0; c < 8; c++) {{ const int o = 4 * c; {HMMA} '
                f'_Pragma("unroll") for (int e = 0; e < {each}; e++) {{ const int j = (c * {each} + e) & 7; {one} }} }}'
            )
        elif company != "alone":
            n = int(company[2:])
            wait = 'asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");'
            parts = {"half": n // 2, "setup": SETUP, "before": hgmma(company[:2], n), "after": wait}
        text += BODY.format(program=program, name=company, kind=kind, step=step, **parts)
    return text


def source() -> str:
    """The CUDA text: one kernel per kind and company."""
    text = '// Written by beside.py.\n#include "common.cuh"\nextern __shared__ __align__(1024) char pool[];\n'
    return text + "".join(kernels("beside", kind, one, COMPANIES) for kind, one in KINDS.items())


LOOPS = [
    Loop(
        f"{company}.{kind}.{m}.{threads // 128}",
        f"beside_{company}_{kind}",
        1,
        threads=threads,
        shared=98304,
        args=(i32(m), f32(1.0), Zeros(1 << 14)),
        replay=company in ("ss256", "hmma6") and m < 8 and threads == 256,
    )
    for company in COMPANIES
    for kind in KINDS
    for m in ((2, 8) if company.startswith(("ss", "rs")) else (4,))
    for threads in (128, 256, 512)
    if threads < 512 or (not company.startswith(("ss", "rs")) and kind != "lds128")
]
