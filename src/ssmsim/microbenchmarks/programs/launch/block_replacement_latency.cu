// Blocks of different lives: how long a slot stays empty between two blocks, by what limits the blocks on an SM.
#include "common.cuh"
extern __shared__ u32 pool[];

__device__ __forceinline__ u32 life(int base, int spread) { return base + (blockIdx.x * 2654435761u >> 12) % spread; }
__device__ __forceinline__ u32 slot() { u32 w; asm volatile("mov.u32 %0, %%warpid;" : "=r"(w)); return w; }

// Every warp writes when it began and ended and in which warp slot; the store comes after the end.
KERNEL varied(Record* out, int base, int spread) {
    u64 start = now();
    u32 hold = life(base, spread);
    while (now() < start + hold) {}
    u64 end = now();
    if ((threadIdx.x & 31) == 0) { Record r = {start, end, 0, sm(), slot()}; out[(blockIdx.x * blockDim.x + threadIdx.x) >> 5] = r; }
}
// The same with 160 live registers, so that registers limit the blocks.
KERNEL __launch_bounds__(128, 1) varied_registers(Record* out, int base, int spread) {
    u64 start = now();
    u32 hold = life(base, spread);
    float v[160];
#pragma unroll
    for (int k = 0; k < 160; k++) v[k] = (float)start + k * threadIdx.x;
    while (now() < start + hold) {
#pragma unroll
        for (int k = 0; k < 160; k++) v[k] = v[k] * v[(k + 1) % 160] + 1.f;
    }
    float s = 0;
#pragma unroll
    for (int k = 0; k < 160; k++) s += v[k];
    u64 end = now();
    if ((threadIdx.x & 31) == 0) { Record r = {start, end, (u64)s, sm(), slot()}; out[(blockIdx.x * blockDim.x + threadIdx.x) >> 5] = r; }
}
