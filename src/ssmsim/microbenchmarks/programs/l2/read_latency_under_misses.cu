// Reads of one warp, one by one, from DRAM and then from L2, while all other SMs have loads from DRAM on their way.
#include "memory.cuh"
#include "sweep.cuh"

// Block 0: a read from DRAM and `hits` more of the same line past the L1, each after the one before. The others: `crew`
// rounds meanwhile of LOADS loads of 512 bytes by each warp, side by side through 4 GB, each followed by a store when
// `stores`. zero: 0, unknown to the compiler.
template <int LOADS>
__device__ __forceinline__ void beneath(Record* out, int n, char* base, int hits, int crew, int stores, u32 zero) {
    const u64 half = 2ull << 30;
    u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    __syncthreads();
    if (blockIdx.x == 0) {
        if (threadIdx.x) return;
        u32 z = 0;
        u64 start = now();
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            char* line = base + half - 128 - (u64)(i * 11400715u & 0x3fffff) * 128;
#pragma unroll 1
            for (int h = 0; h <= hits; h++) z = load_l2(W1(), line + z) & zero;
        }
        leave(out, start, z);
        return;
    }
    u64 at = ((blockIdx.x - 1) * (blockDim.x >> 5) + warp) * 512 + lane * 16, step = (u64)(gridDim.x - 1) * blockDim.x * 16;
#pragma unroll 1
    for (int i = 0; i < n * crew; i++) {
        u32 v[LOADS], t = 0;
#pragma unroll
        for (int k = 0; k < LOADS; k++) v[k] = load_l2(W4(), base + ((at + k * step) & (half - 1)));
#pragma unroll
        for (int k = 0; k < LOADS; k++) t ^= v[k];
        if (stores)
#pragma unroll
            for (int k = 0; k < LOADS; k++) store_global(W4(), base + half + ((at + k * step) & (half - 1)), t);
        at += LOADS * step + (t & zero);
    }
}
#define BENEATH(LOADS)                                                                                                     \
    KERNEL beneath_##LOADS(Record* out, int n, char* base, int hits, int crew, int stores, u32 zero) {                     \
        beneath<LOADS>(out, n, base, hits, crew, stores, zero);                                                            \
    }
BENEATH(1)
BENEATH(4)
BENEATH(8)
