// Loads from DRAM by one SM, of some lines each, some in flight per warp.
#include "memory.cuh"
#include "sweep.cuh"

// Load k of round i of a warp has LINES lines of its own among those of the mask; an odd factor deals them out over memory.
#define MISSES(LOADS, LINES)                                                                                           \
    KERNEL misses_##LOADS##_##LINES(Record* out, int n, const char* base, u32 mask) {                                  \
        u32 s = 0, lane = threadIdx.x % (32 / LINES);                                                                  \
        __syncthreads();                                                                                               \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            u32 v[LOADS];                                                                                              \
            _Pragma("unroll") for (int k = 0; k < LOADS; k++) {                                                        \
                u32 own = ((i * LOADS + k) * blockDim.x + threadIdx.x) / (32 / LINES);                                 \
                v[k] = load_global(W1(), base + (u64)(own * 11400715u & mask) * 128 + lane * 4);             \
            }                                                                                                          \
            _Pragma("unroll") for (int k = 0; k < LOADS; k++) s ^= v[k];                                               \
        }                                                                                                              \
        leave(out, start, s);                                                                                          \
    }
MISSES(1, 32)
MISSES(2, 32)
MISSES(4, 32)
MISSES(8, 32)
MISSES(4, 16)
MISSES(8, 16)
MISSES(4, 8)
MISSES(8, 8)
MISSES(8, 4)
