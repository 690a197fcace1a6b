// Made by tests/opcodes/integer_programs.py: PTX instructions on the same words, one after another.

extern "C" __global__ void integer0(const unsigned long long *first, const unsigned long long *second,
                         const unsigned long long *third, unsigned long long *out) {
    unsigned threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long x = first[i], y = second[i], z = third[i], r;
    // add.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; add.s32 t, a, b; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[0 * threads + i] = r;
    // sub.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; sub.s32 t, a, b; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[1 * threads + i] = r;
    // min.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; min.s32 t, a, b; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[2 * threads + i] = r;
    // max.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; max.s32 t, a, b; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[3 * threads + i] = r;
    // mul.lo.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mul.lo.s32 t, a, b; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[4 * threads + i] = r;
    // mul.hi.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mul.hi.s32 t, a, b; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[5 * threads + i] = r;
    // mad.lo.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mad.lo.s32 t, a, b, c; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[6 * threads + i] = r;
    // mad.hi.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mad.hi.s32 t, a, b, c; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[7 * threads + i] = r;
    // div.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .b32 d; or.b32 d, b, 1; div.s32 t, a, d; } cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[8 * threads + i] = r;
    // rem.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .b32 d; or.b32 d, b, 1; rem.s32 t, a, d; } cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[9 * threads + i] = r;
    // setp.lt.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.lt.s32 p, a, b; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[10 * threads + i] = r;
    // setp.le.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.le.s32 p, a, b; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[11 * threads + i] = r;
    // setp.gt.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.gt.s32 p, a, b; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[12 * threads + i] = r;
    // setp.ge.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.ge.s32 p, a, b; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[13 * threads + i] = r;
    // setp.eq.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.eq.s32 p, a, b; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[14 * threads + i] = r;
    // setp.ne.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.ne.s32 p, a, b; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[15 * threads + i] = r;
    // shr.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; shr.s32 t, a, b; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[16 * threads + i] = r;
    // shr.small.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; and.b32 u, b, 63; shr.s32 t, a, u; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[17 * threads + i] = r;
    // bfe.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .b32 v; and.b32 u, b, 63; and.b32 v, c, 63; bfe.s32 t, a, u, v; } cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[18 * threads + i] = r;
    // add.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; add.u32 t, a, b; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[19 * threads + i] = r;
    // sub.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; sub.u32 t, a, b; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[20 * threads + i] = r;
    // min.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; min.u32 t, a, b; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[21 * threads + i] = r;
    // max.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; max.u32 t, a, b; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[22 * threads + i] = r;
    // mul.lo.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mul.lo.u32 t, a, b; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[23 * threads + i] = r;
}

extern "C" __global__ void integer1(const unsigned long long *first, const unsigned long long *second,
                         const unsigned long long *third, unsigned long long *out) {
    unsigned threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long x = first[i], y = second[i], z = third[i], r;
    // mul.hi.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mul.hi.u32 t, a, b; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[0 * threads + i] = r;
    // mad.lo.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mad.lo.u32 t, a, b, c; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[1 * threads + i] = r;
    // mad.hi.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mad.hi.u32 t, a, b, c; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[2 * threads + i] = r;
    // div.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .b32 d; or.b32 d, b, 1; div.u32 t, a, d; } cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[3 * threads + i] = r;
    // rem.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .b32 d; or.b32 d, b, 1; rem.u32 t, a, d; } cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[4 * threads + i] = r;
    // setp.lt.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.lt.u32 p, a, b; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[5 * threads + i] = r;
    // setp.le.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.le.u32 p, a, b; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[6 * threads + i] = r;
    // setp.gt.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.gt.u32 p, a, b; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[7 * threads + i] = r;
    // setp.ge.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.ge.u32 p, a, b; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[8 * threads + i] = r;
    // setp.eq.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.eq.u32 p, a, b; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[9 * threads + i] = r;
    // setp.ne.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.ne.u32 p, a, b; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[10 * threads + i] = r;
    // shr.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; shr.u32 t, a, b; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[11 * threads + i] = r;
    // shr.small.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; and.b32 u, b, 63; shr.u32 t, a, u; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[12 * threads + i] = r;
    // bfe.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .b32 v; and.b32 u, b, 63; and.b32 v, c, 63; bfe.u32 t, a, u, v; } cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[13 * threads + i] = r;
    // add.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; add.s64 r, x, y; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[14 * threads + i] = r;
    // sub.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; sub.s64 r, x, y; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[15 * threads + i] = r;
    // min.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; min.s64 r, x, y; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[16 * threads + i] = r;
    // max.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; max.s64 r, x, y; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[17 * threads + i] = r;
    // mul.lo.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mul.lo.s64 r, x, y; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[18 * threads + i] = r;
    // mul.hi.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mul.hi.s64 r, x, y; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[19 * threads + i] = r;
    // mad.lo.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mad.lo.s64 r, x, y, z; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[20 * threads + i] = r;
    // mad.hi.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mad.hi.s64 r, x, y, z; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[21 * threads + i] = r;
    // div.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .b64 d; or.b64 d, y, 1; div.s64 r, x, d; } mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[22 * threads + i] = r;
    // rem.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .b64 d; or.b64 d, y, 1; rem.s64 r, x, d; } mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[23 * threads + i] = r;
}

extern "C" __global__ void integer2(const unsigned long long *first, const unsigned long long *second,
                         const unsigned long long *third, unsigned long long *out) {
    unsigned threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long x = first[i], y = second[i], z = third[i], r;
    // setp.lt.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.lt.s64 p, x, y; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[0 * threads + i] = r;
    // setp.le.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.le.s64 p, x, y; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[1 * threads + i] = r;
    // setp.gt.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.gt.s64 p, x, y; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[2 * threads + i] = r;
    // setp.ge.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.ge.s64 p, x, y; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[3 * threads + i] = r;
    // setp.eq.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.eq.s64 p, x, y; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[4 * threads + i] = r;
    // setp.ne.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.ne.s64 p, x, y; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[5 * threads + i] = r;
    // shr.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; shr.s64 r, x, b; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[6 * threads + i] = r;
    // shr.small.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; and.b32 u, b, 63; shr.s64 r, x, u; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[7 * threads + i] = r;
    // bfe.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .b32 v; and.b32 u, b, 63; and.b32 v, c, 63; bfe.s64 r, x, u, v; } mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[8 * threads + i] = r;
    // add.u64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; add.u64 r, x, y; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[9 * threads + i] = r;
    // sub.u64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; sub.u64 r, x, y; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[10 * threads + i] = r;
    // min.u64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; min.u64 r, x, y; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[11 * threads + i] = r;
    // max.u64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; max.u64 r, x, y; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[12 * threads + i] = r;
    // mul.lo.u64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mul.lo.u64 r, x, y; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[13 * threads + i] = r;
    // mul.hi.u64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mul.hi.u64 r, x, y; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[14 * threads + i] = r;
    // mad.lo.u64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mad.lo.u64 r, x, y, z; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[15 * threads + i] = r;
    // mad.hi.u64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mad.hi.u64 r, x, y, z; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[16 * threads + i] = r;
    // div.u64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .b64 d; or.b64 d, y, 1; div.u64 r, x, d; } mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[17 * threads + i] = r;
    // rem.u64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .b64 d; or.b64 d, y, 1; rem.u64 r, x, d; } mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[18 * threads + i] = r;
    // setp.lt.u64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.lt.u64 p, x, y; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[19 * threads + i] = r;
    // setp.le.u64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.le.u64 p, x, y; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[20 * threads + i] = r;
    // setp.gt.u64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.gt.u64 p, x, y; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[21 * threads + i] = r;
    // setp.ge.u64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.ge.u64 p, x, y; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[22 * threads + i] = r;
    // setp.eq.u64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.eq.u64 p, x, y; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[23 * threads + i] = r;
}

extern "C" __global__ void integer3(const unsigned long long *first, const unsigned long long *second,
                         const unsigned long long *third, unsigned long long *out) {
    unsigned threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long x = first[i], y = second[i], z = third[i], r;
    // setp.ne.u64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.ne.u64 p, x, y; selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[0 * threads + i] = r;
    // shr.u64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; shr.u64 r, x, b; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[1 * threads + i] = r;
    // shr.small.u64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; and.b32 u, b, 63; shr.u64 r, x, u; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[2 * threads + i] = r;
    // bfe.u64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .b32 v; and.b32 u, b, 63; and.b32 v, c, 63; bfe.u64 r, x, u, v; } mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[3 * threads + i] = r;
    // mul.wide.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mul.wide.s32 r, a, b; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[4 * threads + i] = r;
    // mul.wide.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mul.wide.u32 r, a, b; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[5 * threads + i] = r;
    // mad.wide.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mad.wide.s32 r, a, b, z; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[6 * threads + i] = r;
    // mad.wide.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mad.wide.u32 r, a, b, z; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[7 * threads + i] = r;
    // add.cc
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .b32 h, k, l; mov.b64 {h, k}, x; mov.b64 {l, t}, y; add.cc.u32 h, h, l; addc.u32 k, k, t; mov.b64 r, {h, k}; } mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[8 * threads + i] = r;
    // sub.cc
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .b32 h, k, l; mov.b64 {h, k}, x; mov.b64 {l, t}, y; sub.cc.u32 h, h, l; subc.u32 k, k, t; mov.b64 r, {h, k}; } mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[9 * threads + i] = r;
    // carry.out
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .b64 h; add.cc.u64 h, x, y; addc.u64 r, 0, 0; } mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[10 * threads + i] = r;
    // three.carries
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .b64 h, k; add.cc.u64 h, x, y; addc.u64 k, 0, 0; add.cc.u64 h, h, z; addc.u64 k, k, 0; add.u64 r, h, k; } mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[11 * threads + i] = r;
    // madc
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .b32 h, k; mad.lo.cc.u32 h, a, b, c; madc.hi.u32 k, a, b, 7; mov.b64 r, {h, k}; } mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[12 * threads + i] = r;
    // abs.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; abs.s32 t, a; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[13 * threads + i] = r;
    // abs.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; abs.s64 r, x; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[14 * threads + i] = r;
    // neg.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; neg.s32 t, a; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[15 * threads + i] = r;
    // neg.s64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; neg.s64 r, x; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[16 * threads + i] = r;
    // sad.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; sad.s32 t, a, b, c; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[17 * threads + i] = r;
    // sad.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; sad.u32 t, a, b, c; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[18 * threads + i] = r;
    // shl.b32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; shl.b32 t, a, b; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[19 * threads + i] = r;
    // shl.b64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; shl.b64 r, x, b; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[20 * threads + i] = r;
    // shl.small.b64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; and.b32 u, b, 63; shl.b64 r, x, u; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[21 * threads + i] = r;
    // shf.l.wrap
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; shf.l.wrap.b32 t, a, b, c; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[22 * threads + i] = r;
    // shf.r.wrap
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; shf.r.wrap.b32 t, a, b, c; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[23 * threads + i] = r;
}

extern "C" __global__ void integer4(const unsigned long long *first, const unsigned long long *second,
                         const unsigned long long *third, unsigned long long *out) {
    unsigned threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long x = first[i], y = second[i], z = third[i], r;
    // shf.l.clamp
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; shf.l.clamp.b32 t, a, b, c; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[0 * threads + i] = r;
    // shf.r.clamp
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; shf.r.clamp.b32 t, a, b, c; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[1 * threads + i] = r;
    // bfi.b32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .b32 v; and.b32 u, c, 31; shr.u32 v, c, 27; bfi.b32 t, a, b, u, v; } cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[2 * threads + i] = r;
    // brev.b32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; brev.b32 t, a; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[3 * threads + i] = r;
    // brev.b64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; brev.b64 r, x; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[4 * threads + i] = r;
    // popc.b32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; popc.b32 t, a; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[5 * threads + i] = r;
    // popc.b64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; popc.b64 t, x; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[6 * threads + i] = r;
    // clz.b32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; clz.b32 t, a; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[7 * threads + i] = r;
    // clz.b64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; clz.b64 t, x; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[8 * threads + i] = r;
    // bfind.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; bfind.u32 t, a; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[9 * threads + i] = r;
    // bfind.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; bfind.s32 t, a; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[10 * threads + i] = r;
    // bfind.shiftamt.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; bfind.shiftamt.u32 t, a; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[11 * threads + i] = r;
    // prmt.b32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; prmt.b32 t, a, b, c; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[12 * threads + i] = r;
    // prmt.0x6541
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; prmt.b32 t, a, b, 0x6541; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[13 * threads + i] = r;
    // selp.b32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; setp.lt.s32 p, a, b; selp.b32 t, b, c, p; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[14 * threads + i] = r;
    // slct.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; slct.s32.s32 t, a, b, c; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[15 * threads + i] = r;
    // not.b64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; not.b64 r, x; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[16 * threads + i] = r;
    // xor.b64
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; xor.b64 r, x, y; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[17 * threads + i] = r;
    // and.pred
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .pred q; setp.lt.s32 q, a, b; setp.gt.or.u32 p, b, c, q; } selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[18 * threads + i] = r;
    // xor.pred
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; { .reg .pred q; setp.lt.s32 q, a, b; setp.gt.xor.u32 p, b, c, q; } selp.u64 r, 1, 0, p; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[19 * threads + i] = r;
    // dp4a.u32.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; dp4a.u32.u32 t, a, b, c; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[20 * threads + i] = r;
    // dp4a.s32.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; dp4a.s32.s32 t, a, b, c; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[21 * threads + i] = r;
    // dp4a.s32.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; dp4a.s32.u32 t, a, b, c; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[22 * threads + i] = r;
    // dp2a.lo.s32.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; dp2a.lo.s32.s32 t, a, b, c; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[23 * threads + i] = r;
}

extern "C" __global__ void integer5(const unsigned long long *first, const unsigned long long *second,
                         const unsigned long long *third, unsigned long long *out) {
    unsigned threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long x = first[i], y = second[i], z = third[i], r;
    // dp2a.hi.u32.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; dp2a.hi.u32.u32 t, a, b, c; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[0 * threads + i] = r;
    // cvt.s32.s8
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; cvt.s32.s8 t, a; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[1 * threads + i] = r;
    // cvt.s64.s16
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; cvt.s64.s16 r, x; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[2 * threads + i] = r;
    // cvt.s64.s32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; cvt.s64.s32 r, a; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[3 * threads + i] = r;
    // szext.clamp
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; and.b32 u, b, 63; szext.clamp.s32 t, a, u; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[4 * threads + i] = r;
    // szext.wrap.u32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; szext.wrap.u32 t, a, b; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[5 * threads + i] = r;
    // bmsk.clamp
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; and.b32 u, a, 63; { .reg .b32 v; and.b32 v, b, 63; bmsk.clamp.b32 t, u, v; } cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[6 * threads + i] = r;
    // bmsk.wrap
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; bmsk.wrap.b32 t, a, b; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[7 * threads + i] = r;
    // fused.min.add
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; add.s32 t, a, b; min.s32 t, t, c; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[8 * threads + i] = r;
    // fused.max.add
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; add.u32 t, a, b; max.u32 t, t, c; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[9 * threads + i] = r;
    // lea
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; shl.b64 r, x, 3; add.u64 r, r, y; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[10 * threads + i] = r;
    // lea.sx32
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; mul.wide.s32 r, a, 16; add.u64 r, r, y; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[11 * threads + i] = r;
    // modulo.constant
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; rem.s32 t, a, 7; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[12 * threads + i] = r;
    // divide.constant
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; div.u32 t, a, 11; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[13 * threads + i] = r;
    // lop3.0x01
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; lop3.b32 t, a, b, c, 0x1; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[14 * threads + i] = r;
    // lop3.0x1e
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; lop3.b32 t, a, b, c, 0x1e; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[15 * threads + i] = r;
    // lop3.0x27
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; lop3.b32 t, a, b, c, 0x27; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[16 * threads + i] = r;
    // lop3.0x2d
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; lop3.b32 t, a, b, c, 0x2d; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[17 * threads + i] = r;
    // lop3.0x40
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; lop3.b32 t, a, b, c, 0x40; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[18 * threads + i] = r;
    // lop3.0x69
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; lop3.b32 t, a, b, c, 0x69; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[19 * threads + i] = r;
    // lop3.0x96
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; lop3.b32 t, a, b, c, 0x96; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[20 * threads + i] = r;
    // lop3.0xac
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; lop3.b32 t, a, b, c, 0xac; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[21 * threads + i] = r;
    // lop3.0xb8
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; lop3.b32 t, a, b, c, 0xb8; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[22 * threads + i] = r;
    // lop3.0xca
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; lop3.b32 t, a, b, c, 0xca; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[23 * threads + i] = r;
}

extern "C" __global__ void integer6(const unsigned long long *first, const unsigned long long *second,
                         const unsigned long long *third, unsigned long long *out) {
    unsigned threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long x = first[i], y = second[i], z = third[i], r;
    // lop3.0xd8
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; lop3.b32 t, a, b, c, 0xd8; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[0 * threads + i] = r;
    // lop3.0xe2
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; lop3.b32 t, a, b, c, 0xe2; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[1 * threads + i] = r;
    // lop3.0xe8
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; lop3.b32 t, a, b, c, 0xe8; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[2 * threads + i] = r;
    // lop3.0xea
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; lop3.b32 t, a, b, c, 0xea; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[3 * threads + i] = r;
    // lop3.0xfe
    asm volatile("{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; lop3.b32 t, a, b, c, 0xfe; cvt.u64.u32 r, t; mov.b64 %0, r; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[4 * threads + i] = r;
}
