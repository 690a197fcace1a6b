"""HGMMA m64nNk16 (bf16): A from shared memory or registers, 1 or 8 between waits, 1 to 3 warpgroups on an SM.

issue.*: cycles until the clock can be read after so many were issued back to back: the depth of their queue.
"""

from ssmsim.microbenchmarks.case import Loop, i32

ARCHITECTURE = "90a"
WIDTHS = (8, 16, 32, 64, 128, 256)
KERNEL = """
KERNEL wgmma_{n}_{kind}_{count}(Record* out, int n, int a, int b) {{
    float d[{half}];
#pragma unroll
    for (int k = 0; k < {half}; k++) d[k] = 0;
    u32 r[4] = {{threadIdx.x, threadIdx.x * 3u, threadIdx.x * 5u, threadIdx.x * 7u}};
    u32 group = threadIdx.x >> 7, pool_at = (u32)__cvta_generic_to_shared(pool);
    u64 flags = (1ull << 62) | (64ull << 32) | (1ull << 16);  // 128-byte swizzle
    u64 da = flags | (((pool_at + group * 8192) & 0x3FFFF) >> 4), db = flags | (((pool_at + 32768) & 0x3FFFF) >> 4);
    __syncthreads();
    u64 start = now();
#pragma unroll 1
    for (int i = 0; i < n; i++) {{
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < {count}; k++)
            asm volatile("{{wgmma.mma_async.sync.aligned.m64n{n}k16.f32.bf16.bf16 "
                "{{{results}}}, {operand}, 1, 1, 1{transpose};}}"
                : {outputs} : {inputs});
        asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }}
    float s = 0;
#pragma unroll
    for (int k = 0; k < {half}; k++) s += d[k];
    leave(out, start, (u32)s);
}}
"""

ISSUE = """
KERNEL issue_{n}_{count}(Record* out, int n, int a, int b) {{
    float d[{half}];
#pragma unroll
    for (int k = 0; k < {half}; k++) d[k] = 0;
    u32 pool_at = (u32)__cvta_generic_to_shared(pool);
    u64 flags = (1ull << 62) | (64ull << 32) | (1ull << 16), spent = 0;
    u64 da = flags | ((pool_at & 0x3FFFF) >> 4), db = flags | (((pool_at + 32768) & 0x3FFFF) >> 4);
    u64 start = now();
#pragma unroll 1
    for (int i = 0; i < n; i++) {{
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        u64 before = now();
#pragma unroll
        for (int k = 0; k < {count}; k++)
            asm volatile("{{wgmma.mma_async.sync.aligned.m64n{n}k16.f32.bf16.bf16 "
                "{{{results}}}, {operand}, 1, 1, 1, 0, 0;}}"
                : {outputs} : {inputs});
        spent += now() - before;
        asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }}
    float s = 0;
#pragma unroll
    for (int k = 0; k < {half}; k++) s += d[k];
    leave(out, start, (u32)s);
    if ((threadIdx.x & 31) == 0) out[threadIdx.x >> 5].end = start + spent;
}}
"""
DEPTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)


def source() -> str:
    """The CUDA text: one kernel per N, source of A and number of HGMMAs between waits."""
    text = '// Written by wgmma.py.\n#include "common.cuh"\nextern __shared__ __align__(1024) char pool[];\n'
    for n in WIDTHS:
        half = n // 2
        outputs = ", ".join(f'"+f"(d[{k}])' for k in range(half))
        results = ", ".join(f"%{k}" for k in range(half))
        for kind in ("ss", "rs"):
            operand = (
                f"%{half}, %{half + 1}"
                if kind == "ss"
                else (f"{{%{half}, %{half + 1}, %{half + 2}, %{half + 3}}}, %{half + 4}")
            )
            inputs = (
                '"l"(da + 2 * (k & 3)), "l"(db + 2 * (k & 3))'
                if kind == "ss"
                else ('"r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(db + 2 * (k & 3))')
            )
            for count in (1, 8):
                text += KERNEL.format(
                    n=n,
                    half=half,
                    kind=kind,
                    count=count,
                    outputs=outputs,
                    results=results,
                    operand=operand,
                    inputs=inputs,
                    transpose=", 0, 0" if kind == "ss" else ", 0",
                )
            if kind == "ss" and n in (64, 128):
                for count in DEPTHS:
                    text += ISSUE.format(
                        n=n, half=half, count=count, outputs=outputs, results=results, operand=operand, inputs=inputs
                    )
    return text


LOOPS = [
    Loop(
        f"n{n}.{kind}.{count}.{threads // 128}",
        f"wgmma_{n}_{kind}_{count}",
        count,
        threads=threads,
        shared=98304,
        args=(i32(0), i32(0)),
        replay=n >= 16 and threads < 384 and (threads == 128 or count == 8),
    )
    for n in WIDTHS
    for kind in ("ss", "rs")
    for count in (1, 8)
    for threads in (128, 256, 384)
] + [
    Loop(f"issue.n{n}.{count}", f"issue_{n}_{count}", count, threads=128, shared=98304, args=(i32(0), i32(0)))
    for n in (64, 128)
    for count in DEPTHS
]
