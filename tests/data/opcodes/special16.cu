// Made by tests/opcodes/programs.py: each PTX instruction on the same words, results one after another.
extern "C" __global__ void special16(const unsigned long long *a, const unsigned long long *b,
                          const unsigned long long *c, unsigned long long *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    unsigned long long x = a[i], y = b[i], z = c[i], r;
    asm volatile("{ .reg .b16 p; cvt.u16.u64 p, %1; .reg .b16 d; ex2.approx.f16 d, p; cvt.u64.u16 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[0 * n + i] = r;
    asm volatile("{ .reg .b16 p; cvt.u16.u64 p, %1; .reg .b16 d; tanh.approx.f16 d, p; cvt.u64.u16 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[1 * n + i] = r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b32 d; tanh.approx.f16x2 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[2 * n + i] = r;
    asm volatile("{ .reg .b16 p; cvt.u16.u64 p, %1; .reg .b16 d; ex2.approx.ftz.bf16 d, p; cvt.u64.u16 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[3 * n + i] = r;
    asm volatile("{ .reg .b16 p; cvt.u16.u64 p, %1; .reg .b16 d; tanh.approx.bf16 d, p; cvt.u64.u16 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[4 * n + i] = r;
}
