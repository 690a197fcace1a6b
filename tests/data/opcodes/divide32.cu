// Made by tests/opcodes/programs.py: each PTX instruction on the same words, results one after another.
extern "C" __global__ void divide32(const unsigned long long *a, const unsigned long long *b,
                          const unsigned long long *c, unsigned long long *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    unsigned long long x = a[i], y = b[i], z = c[i], r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; div.rn.f32 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[0 * n + i] = r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b32 d; rcp.rn.f32 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[1 * n + i] = r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b32 d; sqrt.rn.f32 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[2 * n + i] = r;
}
