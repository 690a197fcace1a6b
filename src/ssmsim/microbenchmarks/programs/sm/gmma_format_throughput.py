"""wgmma of bits and bytes, and sparse products: A from shared memory or registers, 1 or 8 between waits, 1 or 2 warpgroups.

TYPE.nN.SOURCE.COUNT.WARPGROUPS; sp: sparse, a half of A is left out and the instruction spans twice the K.
"""

from dataclasses import dataclass

from ssmsim.microbenchmarks.case import Loop, i32

ARCHITECTURE = "90a"
METADATA = 0x44444444  # elements 0 and 1 of each four
KERNEL = """
KERNEL {name}(Record* out, int n, u32 meta) {{
    {sum} d[{half}];
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
            asm volatile("{{{op}.sync.aligned.m64n{n}k{k}.{types} "
                "{{{results}}}, {operands}{tail};}}"
                : {outputs} : {inputs});
        asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }}
    {sum} s = 0;
#pragma unroll
    for (int k = 0; k < {half}; k++) s += d[k];
    leave(out, start, (u32)s);
}}
"""


@dataclass(frozen=True)
class Format:
    """Types as PTX writes them, K in elements, what follows the predicate, and the widths that are measured."""

    types: str
    k: int
    tail: str
    widths: tuple[int, ...] = (64, 128, 256)
    sparse: bool = False

    def kernel(self, name: str, n: int, source: str, count: int) -> str:
        """One kernel of the CUDA text."""
        half, kind = n // 2, "r" if self.types.startswith("s32") else "f"
        number = half + (4 if source == "rs" else 1)  # of B's descriptor
        left = f"%{half}" if source == "ss" else "{" + ", ".join(f"%{half + k}" for k in range(4)) + "}"
        metadata = f", %{number + 1}, 0" if self.sparse else ""
        step = 4 if self.sparse else 2
        inputs = ['"l"(da + 2 * (k & 3))'] if source == "ss" else [f'"r"(r[{k}])' for k in range(4)]
        inputs += [f'"l"(db + {step} * (k & {4 // step * 2 - 1}))'] + (['"r"(meta)'] if self.sparse else [])
        transposed = {"ss": ", 0, 0", "rs": ", 0"}[source] if ".f16" in self.types else ""
        return KERNEL.format(
            name=name, sum="u32" if kind == "r" else "float", half=half, count=count, n=n, k=self.k, types=self.types,
            op="wgmma.mma_async.sp" if self.sparse else "wgmma.mma_async",
            results=", ".join(f"%{k}" for k in range(half)), operands=f"{left}, %{number}{metadata}, 1",
            tail=self.tail + transposed, outputs=", ".join(f'"+{kind}"(d[{k}])' for k in range(half)),
            inputs=", ".join(inputs),
        )  # fmt: skip


FORMATS = {
    "f16.sp": Format("f32.f16.f16", 32, ", 1, 1", (8, 16, 32, 64, 128, 256), True),
    "tf32.sp": Format("f32.tf32.tf32", 16, ", 1, 1", sparse=True),
    "e4m3.sp": Format("f32.e4m3.e4m3", 64, ", 1, 1", sparse=True),
    "s8.sp": Format("s32.s8.s8", 64, "", sparse=True),
    "b1": Format("s32.b1.b1.and.popc", 256, "", (16, 64, 128, 256)),
    "e4m3": Format("f32.e4m3.e4m3", 32, ", 1, 1"),
    "s8": Format("s32.s8.s8", 32, ""),
}


def cases() -> list[tuple[str, int, str, int]]:
    """(format, N, source of A, products between waits)"""
    return [
        (name, n, source, count)
        for name, form in FORMATS.items()
        for n in form.widths
        for source in ("ss", "rs")
        for count in (1, 8)
        if count == 8 or name in ("f16.sp", "b1")
    ]


def kernel_name(name: str, n: int, source: str, count: int) -> str:
    return f"wgmma_{name.replace('.', '_')}_{n}_{source}_{count}"


def source() -> str:
    """The CUDA text: one kernel per case."""
    text = '// Written by gmma_format_throughput.py.\n#include "common.cuh"\nextern __shared__ __align__(1024) char pool[];\n'
    return text + "".join(FORMATS[case[0]].kernel(kernel_name(*case), *case[1:]) for case in cases())


LOOPS = [
    Loop(
        f"{name}.n{n}.{kind}.{count}.{threads // 128}", kernel_name(name, n, kind, count), count, threads=threads, shared=131072,
        args=(i32(METADATA),), replay=n == 128 or (n >= 16 and threads == 128 and name in ("f16.sp", "b1")),
    )
    for name, n, kind, count in cases()
    for threads in (128, 256)
]  # fmt: skip
