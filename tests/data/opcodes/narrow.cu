// Made by tests/opcodes/programs.py: each PTX instruction on the same words, results one after another.
extern "C" __global__ void narrow(const unsigned long long *a, const unsigned long long *b,
                          const unsigned long long *c, unsigned long long *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    unsigned long long x = a[i], y = b[i], z = c[i], r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b16 d; cvt.rn.f16.f32 d, p; cvt.u64.u16 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[0 * n + i] = r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b16 d; cvt.rz.f16.f32 d, p; cvt.u64.u16 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[1 * n + i] = r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b16 d; cvt.rn.bf16.f32 d, p; cvt.u64.u16 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[2 * n + i] = r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b16 d; cvt.rz.bf16.f32 d, p; cvt.u64.u16 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[3 * n + i] = r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b16 d; cvt.rn.relu.bf16.f32 d, p; cvt.u64.u16 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[4 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; cvt.rn.f16x2.f32 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[5 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; cvt.rz.f16x2.f32 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[6 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; cvt.rn.bf16x2.f32 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[7 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; cvt.rz.bf16x2.f32 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[8 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; cvt.rn.relu.f16x2.f32 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[9 * n + i] = r;
    asm volatile("{ .reg .b16 p; cvt.u16.u64 p, %1; .reg .b32 d; cvt.f32.f16 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[10 * n + i] = r;
    asm volatile("{ .reg .b16 p; cvt.u16.u64 p, %1; .reg .b32 d; cvt.f32.bf16 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[11 * n + i] = r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b64 d; cvt.f64.f32 d, p; mov.b64 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[12 * n + i] = r;
    asm volatile("{ .reg .b16 p; cvt.u16.u64 p, %1; .reg .b64 d; cvt.f64.f16 d, p; mov.b64 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[13 * n + i] = r;
    asm volatile("{ .reg .b64 p; mov.b64 p, %1; .reg .b16 d; cvt.rn.f16.f64 d, p; cvt.u64.u16 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[14 * n + i] = r;
    asm volatile("{ .reg .b64 p; mov.b64 p, %1; .reg .b32 d; cvt.rn.f32.f64 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[15 * n + i] = r;
    asm volatile("{ .reg .b64 p; mov.b64 p, %1; .reg .b32 d; cvt.rz.f32.f64 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[16 * n + i] = r;
    asm volatile("{ .reg .b64 p; mov.b64 p, %1; .reg .b32 d; cvt.rm.f32.f64 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[17 * n + i] = r;
    asm volatile("{ .reg .b64 p; mov.b64 p, %1; .reg .b32 d; cvt.rp.f32.f64 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[18 * n + i] = r;
    asm volatile("{ .reg .b32 p; cvt.u32.u64 p, %1; .reg .b32 d; cvt.sat.f32.f32 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[19 * n + i] = r;
    asm volatile("{ .reg .b64 p; mov.b64 p, %1; .reg .b32 d; cvt.rn.ftz.f32.f64 d, p; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[20 * n + i] = r;
}
