// Made by tests/opcodes/programs.py: each PTX instruction on the same words, results one after another.
extern "C" __global__ void half2(const unsigned long long *a, const unsigned long long *b,
                          const unsigned long long *c, unsigned long long *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    unsigned long long x = a[i], y = b[i], z = c[i], r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; add.rn.f16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[0 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; add.rn.ftz.f16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[1 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; add.rn.sat.f16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[2 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; mul.rn.f16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[3 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; mul.rn.ftz.f16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[4 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; mul.rn.sat.f16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[5 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; .reg .b32 s; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; cvt.u32.u64 s, %3; .reg .b32 d; fma.rn.f16x2 d, p, q, s; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[6 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; .reg .b32 s; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; cvt.u32.u64 s, %3; .reg .b32 d; fma.rn.ftz.f16x2 d, p, q, s; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[7 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; .reg .b32 s; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; cvt.u32.u64 s, %3; .reg .b32 d; fma.rn.sat.f16x2 d, p, q, s; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[8 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; .reg .b32 s; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; cvt.u32.u64 s, %3; .reg .b32 d; fma.rn.relu.f16x2 d, p, q, s; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[9 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; sub.rn.f16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[10 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; min.f16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[11 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; min.NaN.f16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[12 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; min.xorsign.abs.f16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[13 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; max.f16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[14 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; max.NaN.f16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[15 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; max.xorsign.abs.f16x2 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[16 * n + i] = r;
}
