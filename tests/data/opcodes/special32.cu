// Made by tests/opcodes/programs.py: each PTX instruction on the same words, results one after another.
extern "C" __global__ void special32(const unsigned long long *a, const unsigned long long *b,
                          const unsigned long long *c, unsigned long long *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    unsigned long long x = a[i], y = b[i], z = c[i], r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b32 d; rcp.approx.ftz.f32 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[0 * n + i] = r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b32 d; rsqrt.approx.ftz.f32 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[1 * n + i] = r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b32 d; sqrt.approx.ftz.f32 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[2 * n + i] = r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b32 d; ex2.approx.ftz.f32 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[3 * n + i] = r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b32 d; lg2.approx.ftz.f32 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[4 * n + i] = r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b32 d; sin.approx.ftz.f32 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[5 * n + i] = r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b32 d; cos.approx.ftz.f32 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[6 * n + i] = r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b32 d; tanh.approx.f32 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[7 * n + i] = r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b32 d; ex2.approx.f32 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[8 * n + i] = r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b32 d; rcp.approx.f32 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[9 * n + i] = r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b32 d; lg2.approx.f32 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[10 * n + i] = r;
}
