// K accesses of a warp to shared memory, waited for: loads by what uses them, stores by MEMBAR, groups of copies by DEPBAR.
#include "common.cuh"
extern __shared__ char pool[];

// `warps`: bit w set: warp w takes part. Lanes lie `stride` bytes apart, accesses of a round `step` apart.
#define SOLO(name, count, access, behind)                                                                             \
    KERNEL solo_##name##_##count(Record* out, int n, int stride, int step, u32 warps) {                               \
        for (u32 i = threadIdx.x * 4; i < 65536; i += blockDim.x * 4) *(u32*)(pool + i) = 0;                          \
        __syncthreads();                                                                                              \
        if (!(warps >> (threadIdx.x >> 5) & 1)) return;                                                               \
        u32 at = (u32)__cvta_generic_to_shared(pool) + (threadIdx.x & 31) * stride, v[4] = {}, s = 0;                 \
        u32 w = threadIdx.x, x = w * 3, y = w * 5, z = w * 7;                                                         \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            _Pragma("unroll") for (int k = 0; k < count; k++) { access }                                              \
            behind                                                                                                    \
        }                                                                                                             \
        leave(out, start, at + s + w + x + y + z);                                                                    \
    }
#define COUNTS(name, access, behind)                                                                                  \
    SOLO(name, 1, access, behind) SOLO(name, 4, access, behind) SOLO(name, 16, access, behind)
#define PLACE "r"(at + k * step)
#define LOADED s ^= v[0] ^ v[1] ^ v[2] ^ v[3];
#define USE at += s;
#define MEMBAR asm volatile("fence.acq_rel.cta;" ::: "memory");

COUNTS(lds32, asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[0]) : PLACE); LOADED, USE)
COUNTS(lds64, asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : PLACE); LOADED, USE)
COUNTS(lds128, asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                            : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : PLACE); LOADED, USE)
COUNTS(ldsm4, asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                           : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : PLACE : "memory"); LOADED, USE)
COUNTS(sts32, asm volatile("st.volatile.shared.u32 [%0], %1;" :: PLACE, "r"(w) : "memory");, MEMBAR)
COUNTS(sts64, asm volatile("st.volatile.shared.v2.u32 [%0], {%1,%2};" :: PLACE, "r"(w), "r"(x) : "memory");, MEMBAR)
COUNTS(sts128, asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%2,%3,%4};" :: PLACE, "r"(w), "r"(x), "r"(y), "r"(z) : "memory");, MEMBAR)
SOLO(commit, 1, asm volatile("cp.async.commit_group;" ::: "memory");, asm volatile("cp.async.wait_group 0;" ::: "memory");)
SOLO(commit, 2, asm volatile("cp.async.commit_group;" ::: "memory");, asm volatile("cp.async.wait_group 0;" ::: "memory");)
