// One warp waits for shared memory again and again, beside warps of its sub-core that calculate.
#include "common.cuh"
extern __shared__ u32 pool[];

#define FFMA(k) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(d[k]) : "f"(d[(k + 5) % 16]), "f"(d[(k + 9) % 16]));
#define FMUL(k) asm volatile("mul.f32 %0, %0, %1;" : "+f"(d[k]) : "f"(d[(k + 5) % 16]));
#define LOP3(k) asm volatile("lop3.b32 %0, %0, %1, %2, 0xe8;" : "+r"(q[k]) : "r"(q[(k + 1) % 8]), "r"(q[(k + 2) % 8]));
#define EX2(k) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(d[k]));
#define HMMA(k) asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
    : "+f"(d[4 * k]), "+f"(d[4 * k + 1]), "+f"(d[4 * k + 2]), "+f"(d[4 * k + 3]) : "r"(q[0]), "r"(q[1]), "r"(q[2]), "r"(q[3]), "r"(q[4]), "r"(q[5]));
#define LDS asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(p) : "memory"); p += v;
#define LDSM asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v) : "r"(p) : "memory"); p += v;
#define SHFL asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(p));

#define RIVALS(name, WAIT, WORK)                                                                                       \
    KERNEL rivals_##name(Record* out, int n, int rounds, int rivals) {                                                 \
        u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31, v = 0, q[8], s = 0;                                      \
        float d[16], f = 0;                                                                                            \
        u32 p = (u32)__cvta_generic_to_shared(pool) + lane * 16;                                                       \
        _Pragma("unroll") for (int i = 0; i < 16; i++) d[i] = lane + i;                                                \
        _Pragma("unroll") for (int i = 0; i < 8; i++) q[i] = lane * i;                                                 \
        for (int i = threadIdx.x; i < 4096; i += blockDim.x) pool[i] = 0;                                              \
        __syncthreads();                                                                                               \
        u64 start = now();                                                                                             \
        if (warp == 0) {                                                                                               \
            _Pragma("unroll 1") for (int i = 0; i < n; i++) { TIMES16(WAIT) }                                          \
        } else if (rivals >> (warp & 3) & 1) {                                                                         \
            _Pragma("unroll 1") for (int i = 0; i < n * rounds; i++) { WORK WORK WORK WORK }                           \
        }                                                                                                              \
        _Pragma("unroll") for (int i = 0; i < 16; i++) f += d[i];                                                      \
        _Pragma("unroll") for (int i = 0; i < 8; i++) s += q[i];                                                       \
        leave(out, start, (u32)f + s + p);                                                                             \
    }
#define ALL(name, WORK) RIVALS(lds_##name, LDS, WORK) RIVALS(ldsm_##name, LDSM, WORK) RIVALS(shfl_##name, SHFL, WORK)
ALL(ffma, FFMA(0) FFMA(1) FFMA(2) FFMA(3) FFMA(4) FFMA(5) FFMA(6) FFMA(7))
ALL(fmul, FMUL(0) FMUL(1) FMUL(2) FMUL(3) FMUL(4) FMUL(5) FMUL(6) FMUL(7))
ALL(lop3, LOP3(0) LOP3(1) LOP3(2) LOP3(3) LOP3(4) LOP3(5) LOP3(6) LOP3(7))
ALL(ex2, EX2(0) EX2(1) EX2(2) EX2(3))
ALL(hmma, HMMA(0) HMMA(1) HMMA(2) HMMA(3))
ALL(mixed, HMMA(0) FFMA(4) FFMA(5) FFMA(6) FFMA(7) HMMA(2) FFMA(12) FFMA(13) FFMA(14) FFMA(15))
