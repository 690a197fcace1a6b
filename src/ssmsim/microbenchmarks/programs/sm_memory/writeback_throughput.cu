// K shared-memory instructions in a row, then a use of every result.
#include "common.cuh"
extern __shared__ u32 pool[];

#define LDS32(k) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[4 * k]) : "r"(at + 128 * k) : "memory");
#define LDS64(k) asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];" : "=r"(v[4 * k]), "=r"(v[4 * k + 1]) : "r"(at2 + 256 * k) : "memory");
#define LDS128(k) asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" \
    : "=r"(v[4 * k]), "=r"(v[4 * k + 1]), "=r"(v[4 * k + 2]), "=r"(v[4 * k + 3]) : "r"(at4 + 512 * k) : "memory");
#define LDSM1(k) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v[4 * k]) : "r"(at4 + 512 * k) : "memory");
#define LDSM4(k) asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" \
    : "=r"(v[4 * k]), "=r"(v[4 * k + 1]), "=r"(v[4 * k + 2]), "=r"(v[4 * k + 3]) : "r"(at4 + 512 * k) : "memory");
#define STS32(k) asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(at + 128 * k), "r"(s) : "memory");
#define STS128(k) asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%1,%1,%1};" :: "r"(at4 + 512 * k), "r"(s) : "memory");
#define EX2(k) asm volatile("{.reg .f32 t; mov.b32 t, %1; ex2.approx.ftz.f32 t, t; mov.b32 %0, t;}" : "=r"(v[4 * k]) : "r"(s + k));
#define SHFL(k) asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, -1;" : "=r"(v[4 * k]) : "r"(s + k));
#define NOTHING
#define LOAD asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[0]) : "r"(at) : "memory");

#define GROUP(name, K, one, after)                                                                                    \
    KERNEL group_##name##_##K(Record* out, int n, int a, int b) {                                                     \
        u32 at = (u32)__cvta_generic_to_shared(pool) + threadIdx.x * 4, s = threadIdx.x & 1;                          \
        u32 at2 = at + threadIdx.x * 4, at4 = at + threadIdx.x * 12, v[4 * K];                                        \
        _Pragma("unroll") for (int k = 0; k < 4 * K; k++) v[k] = 0;                                                   \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            _Pragma("unroll") for (int k = 0; k < K; k++) { one(k) }                                                  \
            after                                                                                                     \
            _Pragma("unroll") for (int k = 0; k < 4 * K; k++) s += v[k] & 1;                                          \
        }                                                                                                             \
        leave(out, start, s);                                                                                         \
    }
#define COUNTS(name, one, after) GROUP(name, 1, one, after) GROUP(name, 2, one, after) GROUP(name, 4, one, after) GROUP(name, 8, one, after)
COUNTS(lds32, LDS32, ) COUNTS(lds64, LDS64, ) COUNTS(lds128, LDS128, ) COUNTS(ldsm1, LDSM1, ) COUNTS(ldsm4, LDSM4, )
COUNTS(sts32, STS32, LOAD) COUNTS(sts128, STS128, LOAD) COUNTS(ex2, EX2, ) COUNTS(shfl, SHFL, )
