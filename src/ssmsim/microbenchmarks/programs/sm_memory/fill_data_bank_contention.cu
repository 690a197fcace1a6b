// Copies to shared memory or loads through the L1, beside loads from shared memory.
#include "common.cuh"
extern __shared__ char pool[];

#define CG16(k) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to + (k + (i & 1) * 4) * blockDim.x * 16), "l"(base + at) : "memory");
#define CA16(k) asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(to + (k + (i & 1) * 4) * blockDim.x * 16), "l"(base + at) : "memory");
#define LDG(k) asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[4 * k]), "=r"(v[4 * k + 1]), "=r"(v[4 * k + 2]), "=r"(v[4 * k + 3]) : "l"(base + at) : "memory");
#define LDG_CG(k) asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[4 * k]), "=r"(v[4 * k + 1]), "=r"(v[4 * k + 2]), "=r"(v[4 * k + 3]) : "l"(base + at) : "memory");
#define NONE(k)
#define GROUP asm volatile("cp.async.commit_group; cp.async.wait_group 1;" ::: "memory");
#define NOTHING

#define FILLS(name, M, one, wait)                                                                                     \
    KERNEL fills_##name##_##M(Record* out, int n, char* base, u32 region) {                                           \
        u32 to = (u32)__cvta_generic_to_shared(pool) + threadIdx.x * 16, step = blockDim.x * 16, s = 0;               \
        u32 at = threadIdx.x * 16, from = (u32)__cvta_generic_to_shared(pool) + threadIdx.x * 4, v[16], w[8];         \
        _Pragma("unroll") for (int k = 0; k < 16; k++) v[k] = 0;                                                      \
        _Pragma("unroll") for (int k = 0; k < 8; k++) w[k] = 0;                                                       \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            _Pragma("unroll") for (int k = 0; k < 4; k++) { one(k) at = (at + step) & (region - 1); }                 \
            _Pragma("unroll") for (int m = 0; m < M; m++)                                                             \
                asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(w[m & 7]) : "r"(from + 128 * (m & 7)) : "memory"); \
            wait                                                                                                      \
            _Pragma("unroll") for (int k = 0; k < 16; k++) s ^= v[k];                                                 \
            _Pragma("unroll") for (int k = 0; k < 8; k++) s ^= w[k];                                                  \
        }                                                                                                             \
        asm volatile("cp.async.wait_group 0;" ::: "memory");                                                          \
        leave(out, start, s);                                                                                         \
    }
#define EACH(name, one, wait) FILLS(name, 0, one, wait) FILLS(name, 8, one, wait) FILLS(name, 16, one, wait) FILLS(name, 32, one, wait)
EACH(none, NONE, NOTHING) EACH(cg16, CG16, GROUP) EACH(ca16, CA16, GROUP) EACH(ldg, LDG, NOTHING) EACH(ldg_cg, LDG_CG, NOTHING)
