// A few accesses to global memory among many loads from shared memory that keep the SM's unit busy.
#include "common.cuh"
extern __shared__ char pool[];

#define lds128(k) asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[4 * ((k) & 3)]), "=r"(v[4 * ((k) & 3) + 1]), "=r"(v[4 * ((k) & 3) + 2]), "=r"(v[4 * ((k) & 3) + 3]) : "r"(own + ((k) & 3) * 8192) : "memory");
#define lds32(k) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[(k) & 15]) : "r"(word + ((k) & 15) * 2048) : "memory");
#define none(k)
#define stg32(k) asm volatile("st.global.u32 [%0], %1;" :: "l"(at + (k) * 8192 + threadIdx.x * 4), "r"(0) : "memory");
#define stg64(k) asm volatile("st.global.v2.u32 [%0], {%1,%1};" :: "l"(at + (k) * 8192 + threadIdx.x * 8), "r"(0) : "memory");
#define stg128(k) asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" :: "l"(at + (k) * 8192 + threadIdx.x * 16), "r"(0) : "memory");
#define rows128(k) asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" :: "l"(at + (k) * 8192 + (threadIdx.x & ~31) * 16 + (threadIdx.x & 7) * 16 + (threadIdx.x >> 3 & 3) * 65536), "r"(0) : "memory");
#define red32(k) asm volatile("red.global.add.u32 [%0], %1;" :: "l"(at + (k) * 8192 + threadIdx.x * 4), "r"(0) : "memory");
#define ldg32(k) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(w[4 * (k)]) : "l"(at + (k) * 8192 + threadIdx.x * 4) : "memory");
#define ldg64(k) asm volatile("ld.global.cg.v2.u32 {%0,%1}, [%2];" : "=r"(w[4 * (k)]), "=r"(w[4 * (k) + 1]) : "l"(at + (k) * 8192 + threadIdx.x * 8) : "memory");
#define ldg128(k) asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(w[4 * (k)]), "=r"(w[4 * (k) + 1]), "=r"(w[4 * (k) + 2]), "=r"(w[4 * (k) + 3]) : "l"(at + (k) * 8192 + threadIdx.x * 16) : "memory");

#define TOLLS(A, B, E)                                                                                                \
    KERNEL tolls_##A##_##B##_##E(Record* out, int n, char* base, u32 region) {                                        \
        u32 own = (u32)__cvta_generic_to_shared(pool) + threadIdx.x * 16, s = 0, v[16], w[8];                         \
        u32 word = (u32)__cvta_generic_to_shared(pool) + threadIdx.x * 4, place = 0;                                  \
        _Pragma("unroll") for (int k = 0; k < 16; k++) v[k] = 0;                                                      \
        _Pragma("unroll") for (int k = 0; k < 8; k++) w[k] = 0;                                                       \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            char* at = base + place;                                                                                  \
            _Pragma("unroll") for (int k = 0; k < 32; k++) {                                                          \
                A(k)                                                                                                  \
                if (k == 7 && E > 0) { B(0) }                                                                         \
                if (k == 23 && E > 1) { B(1) }                                                                        \
            }                                                                                                         \
            place = (place + 16384) & (region - 1);                                                                   \
            _Pragma("unroll") for (int k = 0; k < 16; k++) s ^= v[k];                                                 \
            _Pragma("unroll") for (int k = 0; k < 8; k++) s ^= w[k];                                                  \
        }                                                                                                             \
        leave(out, start, s);                                                                                         \
    }
#define BOTH(A, B) TOLLS(A, B, 1) TOLLS(A, B, 2)
#define ALL(A)                                                                                                        \
    TOLLS(A, none, 0)                                                                                                 \
    BOTH(A, stg32) BOTH(A, stg64) BOTH(A, stg128) BOTH(A, rows128) BOTH(A, red32) BOTH(A, ldg32) BOTH(A, ldg64) BOTH(A, ldg128)
ALL(lds128)
ALL(lds32)
