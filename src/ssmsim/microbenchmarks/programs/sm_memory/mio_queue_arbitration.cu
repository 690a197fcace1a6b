// Warps of one sub-core that ask for more than its queue of memory instructions holds: when is which of them issued?
#include "common.cuh"

#define LOADS 16
#define MARK(k) at[k] = now();

__device__ __forceinline__ void meet(u32* count, u32 number, u64* when) {
    if (threadIdx.x == 0) {
        atomicAdd(count, 1);
        while (atomicAdd(count, 0) < number) {}
        *when = ((nanoseconds() >> 13) + 2) << 13;
    }
    __syncthreads();
    while (nanoseconds() < *when) {}
}

// The first round brings code and lines. ldg: four lines that the L2 has; lds: four wavefronts.
#define ADMIT(name, LOAD)                                                                                              \
    KERNEL __launch_bounds__(512) admit_##name(Record* out, int n, char* base, u32* count, u64* notes) {               \
        __shared__ u64 when;                                                                                           \
        __shared__ u32 words[128];                                                                                     \
        u32 warps = blockDim.x >> 5, w = blockIdx.x * warps + (threadIdx.x >> 5), lane = threadIdx.x & 31, s = 0;      \
        char* from = base + (u64)w * LOADS * 512 + lane * 16;                                                          \
        u32 word = (u32)__cvta_generic_to_shared(words) + lane * 16;                                                   \
        u64 at[LOADS + 1];                                                                                             \
        for (int r = 1; r <= 2; r++) {                                                                                 \
            meet(count, r * gridDim.x, &when);                                                                         \
            u32 v[LOADS][4];                                                                                           \
            MARK(0)                                                                                                    \
            _Pragma("unroll") for (int k = 0; k < LOADS; k++) { LOAD MARK(k + 1) }                                     \
            _Pragma("unroll") for (int k = 0; k < LOADS; k++) s ^= v[k][0] ^ v[k][1] ^ v[k][2] ^ v[k][3];              \
            asm volatile("" : "+r"(s)::"memory");                                                                      \
        }                                                                                                              \
        if (lane == 0) {                                                                                               \
            u64* row = notes + (u64)w * (LOADS + 3);                                                                   \
            for (int k = 0; k <= LOADS; k++) row[k] = at[k];                                                           \
            row[LOADS + 1] = sm();                                                                                     \
            row[LOADS + 2] = s;                                                                                        \
        }                                                                                                              \
    }
ADMIT(ldg, asm volatile("ld.relaxed.gpu.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[k][0]), "=r"(v[k][1]), "=r"(v[k][2]), "=r"(v[k][3]) : "l"(from + k * 512) : "memory");)
ADMIT(own, asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[k][0]), "=r"(v[k][1]), "=r"(v[k][2]), "=r"(v[k][3]) : "l"(from + k * 512) : "memory");)
ADMIT(lds, asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v[k][0]) : "r"(word) : "memory"); v[k][1] = v[k][2] = v[k][3] = 0;)
