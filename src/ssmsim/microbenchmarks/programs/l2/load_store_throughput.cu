// Load 16 bytes per thread, wait, store them elsewhere, next round; neighbouring warps at neighbouring addresses.
#include "memory.cuh"

#define COPIES(name, STORE)                                                                                           \
    KERNEL copies_##name(Record* out, int n, char* base, u64 read_mask, u64 write_mask) {                             \
        u64 at = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * 16, step = (u64)gridDim.x * blockDim.x * 16;          \
        char* to = base + (2ull << 30);                                                                               \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            u32 v = load_l2(W4(), base + (at & read_mask));                                                           \
            STORE                                                                                                     \
            at += step + (v & 16);                                                                                    \
        }                                                                                                             \
        leave(out, start, (u32)at);                                                                                   \
    }
COPIES(none, )
COPIES(store, store_global(W4(), to + (at & write_mask), v);)
