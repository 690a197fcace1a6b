// Made by tests/opcodes/programs.py: each PTX instruction on the same words, results one after another.
extern "C" __global__ void compare32(const unsigned long long *a, const unsigned long long *b,
                          const unsigned long long *c, unsigned long long *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    unsigned long long x = a[i], y = b[i], z = c[i], r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .pred d; setp.eq.f32 d, p, q; selp.u64 %0, 1, 0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[0 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .pred d; setp.ne.f32 d, p, q; selp.u64 %0, 1, 0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[1 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .pred d; setp.lt.f32 d, p, q; selp.u64 %0, 1, 0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[2 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .pred d; setp.le.f32 d, p, q; selp.u64 %0, 1, 0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[3 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .pred d; setp.gt.f32 d, p, q; selp.u64 %0, 1, 0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[4 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .pred d; setp.ge.f32 d, p, q; selp.u64 %0, 1, 0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[5 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .pred d; setp.equ.f32 d, p, q; selp.u64 %0, 1, 0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[6 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .pred d; setp.neu.f32 d, p, q; selp.u64 %0, 1, 0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[7 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .pred d; setp.ltu.f32 d, p, q; selp.u64 %0, 1, 0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[8 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .pred d; setp.leu.f32 d, p, q; selp.u64 %0, 1, 0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[9 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .pred d; setp.gtu.f32 d, p, q; selp.u64 %0, 1, 0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[10 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .pred d; setp.geu.f32 d, p, q; selp.u64 %0, 1, 0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[11 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .pred d; setp.num.f32 d, p, q; selp.u64 %0, 1, 0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[12 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .pred d; setp.nan.f32 d, p, q; selp.u64 %0, 1, 0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[13 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; set.lt.ftz.f32.f32 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[14 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .b32 d; set.neu.ftz.f32.f32 d, p, q; cvt.u64.u32 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[15 * n + i] = r;
    asm volatile("{ .reg .b32 p; .reg .b32 q; cvt.u32.u64 p, %1; cvt.u32.u64 q, %2; .reg .pred d; setp.gtu.ftz.f32 d, p, q; selp.u64 %0, 1, 0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[16 * n + i] = r;
}
