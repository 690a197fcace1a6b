// How many instructions a warp can hand on before it must wait: the clock after K of them that were issued back to back.
#include "common.cuh"
extern __shared__ u32 pool[];

#define BURST(name, K, before, one)                                                                                   \
    KERNEL name##_##K(Record* out, int n, u32* base, u32 stride) {                                                    \
        u32 to = (u32)__cvta_generic_to_shared(pool) + (threadIdx.x & 31) * stride, s = threadIdx.x;                  \
        u32* from = base + (threadIdx.x & 31) + (threadIdx.x >> 5) * 1024;                                            \
        float f = 1.f + threadIdx.x; u32 v[K];                                                                        \
        u64 spent = 0, start = now();                                                                                 \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            u64 a = now();                                                                                            \
            _Pragma("unroll") for (int k = 0; k < K; k++) { one }                                                     \
            u64 b = now();                                                                                            \
            spent += b - a;                                                                                           \
            _Pragma("unroll") for (int k = 0; k < K; k++) s ^= v[k];                                                  \
            __syncthreads();                                                                                          \
        }                                                                                                             \
        leave(out, start, s);                                                                                         \
        if ((threadIdx.x & 31) == 0) out[threadIdx.x >> 5].end = start + spent;                                       \
    }
#define STS v[k] = 0; asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(to + k * 4), "r"(s) : "memory");
#define LDS asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[k]) : "r"(to + k * 4) : "memory");
#define LDG asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v[k]) : "l"(from + k * 32) : "memory");
#define STG v[k] = 0; asm volatile("st.volatile.global.u32 [%0], %1;" :: "l"(from + k * 32), "r"(s) : "memory");
#define EX2 v[k] = 0; asm volatile("{.reg .f32 t; ex2.approx.ftz.f32 t, %1; mov.b32 %0, t;}" : "=r"(v[k]) : "f"(f + k) : "memory");
#define FOR_EACH(M) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(12) M(14) M(16) M(20) M(24)
#define STS_K(K) BURST(sts, K, , STS)
#define LDS_K(K) BURST(lds, K, , LDS)
#define LDG_K(K) BURST(ldg, K, , LDG)
#define STG_K(K) BURST(stg, K, , STG)
#define EX2_K(K) BURST(ex2, K, , EX2)
FOR_EACH(STS_K) FOR_EACH(LDS_K) FOR_EACH(LDG_K) FOR_EACH(STG_K) FOR_EACH(EX2_K)
