// Made by tests/opcodes/programs.py: each PTX instruction on the same words, results one after another.
extern "C" __global__ void bfloat2(const unsigned long long *a, const unsigned long long *b,
                          const unsigned long long *c, unsigned long long *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    unsigned long long x = a[i], y = b[i], z = c[i], r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; add.rn.bf16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[0 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; mul.rn.bf16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[1 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; .reg .b32 s; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; cvt.u32.u64 s, %3; .reg .b32 d; fma.rn.bf16x2 d, p, q, s; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[2 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; sub.rn.bf16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[3 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; .reg .b32 s; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; cvt.u32.u64 s, %3; .reg .b32 d; fma.rn.relu.bf16x2 d, p, q, s; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[4 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; min.bf16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[5 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; min.NaN.bf16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[6 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; min.xorsign.abs.bf16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[7 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; max.bf16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[8 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; max.NaN.bf16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[9 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; max.xorsign.abs.bf16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[10 * n + i] = r;
}
