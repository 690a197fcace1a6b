// Stores of all lanes, each to a sector of its own that it writes whole or in part.
#include "memory.cuh"
#include "sweep.cuh"

// Round i of a warp stores 32 pieces of sizeof(T) bytes, `stride` bytes apart; every warp and round has lines of its own.
#define PARTS(name, T)                                                                                                \
    KERNEL parts_##name(Record* out, int n, char* base, u32 stride, u32 mask) {                                       \
        u32 lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;                             \
        u32 at = warp * 32 * stride, step = (gridDim.x * blockDim.x >> 5) * 32 * stride;                              \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            store_global(T(), base + (at & mask) + lane * stride, i);                                                 \
            at += step;                                                                                               \
        }                                                                                                             \
        asm volatile("fence.acq_rel.gpu;" ::: "memory");                                                              \
        leave(out, start, at);                                                                                        \
    }
PARTS(4, W1)
PARTS(16, W4)
struct W8 { W4 a, b; };
__device__ __forceinline__ void store_global(W8, void* p, u32 a) { store_global(W4(), p, a); store_global(W4(), (char*)p + 16, a); }
PARTS(32, W8)
