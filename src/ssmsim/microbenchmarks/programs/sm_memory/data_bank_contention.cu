// Two kinds of instructions in turn, 512 bytes each, without bank conflicts of their own.
#include "common.cuh"
extern __shared__ char pool[];

#define lds128(k) asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[4 * k]), "=r"(v[4 * k + 1]), "=r"(v[4 * k + 2]), "=r"(v[4 * k + 3]) : "r"(own + k * 8192) : "memory");
#define ldsm4(k) asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(v[4 * k]), "=r"(v[4 * k + 1]), "=r"(v[4 * k + 2]), "=r"(v[4 * k + 3]) : "r"(own + k * 8192) : "memory");
#define sts128(k) asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%2,%3,%4};" :: "r"(own + 32768 + k * 8192), "r"(i), "r"(k), "r"(at), "r"(step) : "memory");
#define stsm4(k) asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" :: "r"(own + 32768 + k * 8192), "r"(i), "r"(k), "r"(at), "r"(step) : "memory");
#define cg16(k) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(own + 65536 + (k + (i & 1) * 4) * 8192), "l"(base + at + k * 8192) : "memory");
#define zero16(k) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, 0;" :: "r"(own + 65536 + (k + (i & 1) * 4) * 8192), "l"(base + at + k * 8192) : "memory");
#define zero4(k) asm volatile("cp.async.ca.shared.global [%0], [%1], 4, 0;" :: "r"(own + 65536 + (k + (i & 1) * 4) * 8192 - threadIdx.x * 12), "l"(base + at + k * 8192) : "memory");
#define ldg128(k) asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(w[4 * k]), "=r"(w[4 * k + 1]), "=r"(w[4 * k + 2]), "=r"(w[4 * k + 3]) : "l"(base + at + k * 8192) : "memory");
#define stg128(k) asm volatile("st.global.v4.u32 [%0], {%1,%2,%3,%4};" :: "l"(base + k * 8192 + threadIdx.x * 16), "r"(0), "r"(0), "r"(0), "r"(0) : "memory");
#define off32(k) asm volatile("{.reg .pred p; setp.eq.u32 p, %1, 7; @p ld.volatile.shared.u32 %0, [%2];}" : "+r"(w[k]) : "r"(step), "r"(own + k * 8192) : "memory");
#define bar(k) asm volatile("bar.sync %0, 32;" :: "r"(threadIdx.x >> 5) : "memory");
#define commit(k) asm volatile("cp.async.commit_group;" ::: "memory");
#define shfl(k) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(w[k]));
#define none(k)

#define MIX(A, B)                                                                                                     \
    KERNEL mix_##A##_##B(Record* out, int n, char* base, u32 region) {                                                \
        u32 own = (u32)__cvta_generic_to_shared(pool) + threadIdx.x * 16, step = blockDim.x * 16 * 4, s = 0;          \
        u32 at = threadIdx.x * 16, v[16], w[16];                                                                      \
        _Pragma("unroll") for (int k = 0; k < 16; k++) v[k] = w[k] = 0;                                               \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            _Pragma("unroll") for (int k = 0; k < 4; k++) { A(k) B(k) }                                               \
            asm volatile("cp.async.commit_group; cp.async.wait_group 1;" ::: "memory");                               \
            at = (at + step) & (region - 1);                                                                          \
            _Pragma("unroll") for (int k = 0; k < 16; k++) s ^= v[k] ^ w[k];                                          \
        }                                                                                                             \
        asm volatile("cp.async.wait_group 0;" ::: "memory");                                                          \
        leave(out, start, s);                                                                                         \
    }
MIX(lds128, none)
MIX(ldsm4, none)
MIX(sts128, none)
MIX(stsm4, none)
MIX(cg16, none)
MIX(ldg128, none)
MIX(stg128, none)
MIX(lds128, ldsm4)
MIX(lds128, sts128)
MIX(lds128, stsm4)
MIX(lds128, cg16)
MIX(lds128, ldg128)
MIX(lds128, stg128)
MIX(ldsm4, sts128)
MIX(ldsm4, stsm4)
MIX(ldsm4, cg16)
MIX(ldsm4, ldg128)
MIX(ldsm4, stg128)
MIX(sts128, stsm4)
MIX(sts128, cg16)
MIX(sts128, ldg128)
MIX(sts128, stg128)
MIX(stsm4, cg16)
MIX(stsm4, ldg128)
MIX(stsm4, stg128)
MIX(cg16, ldg128)
MIX(cg16, stg128)
MIX(ldg128, stg128)
MIX(lds128, off32)
MIX(lds128, bar)
MIX(lds128, commit)
MIX(lds128, shfl)
MIX(cg16, off32)
MIX(cg16, bar)
MIX(sts128, bar)
MIX(sts128, off32)
MIX(zero16, none)
MIX(zero4, none)
MIX(lds128, zero16)
MIX(sts128, zero16)
MIX(cg16, zero16)
MIX(lds128, zero4)
