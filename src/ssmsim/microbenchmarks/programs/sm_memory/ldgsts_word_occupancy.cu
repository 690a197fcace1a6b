// Copies of 4 bytes a lane through the L1, eight in a row, in groups of which two may be on their way.
#include "common.cuh"
extern __shared__ char pool[];

#define SOME "cp.async.ca.shared.global [%0], [%1], 4;"
#define ZEROS "cp.async.ca.shared.global [%0], [%1], 4, 0;"
#define ROWS(name, LANES, TEXT, FROM)                                                                                  \
    KERNEL rows_##name##_##LANES(Record* out, int n, char* base, u32 region) {                                         \
        u32 to = (u32)__cvta_generic_to_shared(pool) + threadIdx.x * 4, at = 0;                                        \
        bool on = LANES == 32 || (threadIdx.x & 31) < LANES;                                                           \
        __syncthreads();                                                                                               \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            _Pragma("unroll") for (int k = 0; k < 8; k++)                                                              \
                if (on) asm volatile(TEXT :: "r"(to + k * 2048), "l"(base + FROM) : "memory");                         \
            asm volatile("cp.async.commit_group; cp.async.wait_group 2;" ::: "memory");                                \
            at = (at + blockDim.x * 32) & (region - 1);                                                                \
        }                                                                                                              \
        asm volatile("cp.async.wait_group 0;" ::: "memory");                                                           \
        leave(out, start, at);                                                                                         \
    }
#define BOTH(name, TEXT, FROM) ROWS(name, 2, TEXT, FROM) ROWS(name, 32, TEXT, FROM)
BOTH(hit, SOME, (threadIdx.x * 4 + k * 2048))
BOTH(miss, SOME, ((at + threadIdx.x * 4 + k * 2048) & (region - 1)))
BOTH(zero, ZEROS, (threadIdx.x * 4))

// DIVISOR lanes in a row copy the same word, all to one word of shared memory (same) or each to its own (own).
#define ALIKE(name, DIVISOR, FROM, TO)                                                                                 \
    KERNEL rows_##name##_##DIVISOR(Record* out, int n, char* base, u32 region) {                                       \
        u32 lane = threadIdx.x & 31, first = threadIdx.x & ~31u, word = lane / DIVISOR, at = 0;                        \
        u32 to = (u32)__cvta_generic_to_shared(pool) + (first + TO) * 4;                                               \
        __syncthreads();                                                                                               \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            _Pragma("unroll") for (int k = 0; k < 8; k++)                                                              \
                asm volatile(SOME :: "r"(to + k * 2048), "l"(base + FROM) : "memory");                                 \
            asm volatile("cp.async.commit_group; cp.async.wait_group 2;" ::: "memory");                                \
            at = (at + blockDim.x * 32) & (region - 1);                                                                \
        }                                                                                                              \
        asm volatile("cp.async.wait_group 0;" ::: "memory");                                                           \
        leave(out, start, at);                                                                                         \
    }
#define HIT (first * 4 + word * 4 + k * 2048)
#define MISS ((at + first * 4 + word * 4 + k * 2048) & (region - 1))
#define ALL ((at + word * 4 + k * 32) & (region - 1))
#define ALIKES(D) ALIKE(hit_same, D, HIT, word) ALIKE(hit_own, D, HIT, lane) ALIKE(miss_same, D, MISS, word) ALIKE(all_same, D, ALL, word)
ALIKES(1) ALIKES(2) ALIKES(4) ALIKES(32)
