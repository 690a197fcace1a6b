// Blocks that do nothing but say when and where they ran.
#include "common.cuh"
extern __shared__ u32 pool[];

KERNEL empty(int n) {}

// `hold` cycles of life per block; each block writes start, end, global time and SM.
KERNEL stamp(Record* out, int hold) {
    u64 start = now(), global = nanoseconds();
    while (now() < start + hold) {}
    if (threadIdx.x == 0) { Record r = {start, now(), global, sm(), 0}; out[blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)] = r; }
}
// `hold` cycles of life and no store: what follows a block's end is the scheduler's alone.
KERNEL hold(int cycles) {
    u64 start = now();
    while (now() < start + cycles) {}
}
// Start of every warp of every block.
KERNEL stamp_warps(Record* out, int hold) {
    u64 start = now(), global = nanoseconds();
    while (now() < start + hold) {}
    if ((threadIdx.x & 31) == 0) { Record r = {start, now(), global, sm(), 0}; out[(blockIdx.x * blockDim.x + threadIdx.x) >> 5] = r; }
}
// The same with many registers per thread.
KERNEL __launch_bounds__(256, 1) stamp_registers(Record* out, int hold) {
    u64 start = now(), global = nanoseconds();
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
    if (threadIdx.x == 0) { Record r = {start, now(), global, sm(), (u32)s}; out[blockIdx.x] = r; }
}
// Clusters of 8: the blocks of one lie in one GPC.
KERNEL __cluster_dims__(8, 1, 1) cluster8(Record* out, int hold) {
    u64 start = now(), global = nanoseconds();
    while (now() < start + hold) {}
    if (threadIdx.x == 0) { Record r = {start, now(), global, sm(), 0}; out[blockIdx.x] = r; }
}
KERNEL __cluster_dims__(2, 1, 1) cluster2(Record* out, int hold) {
    u64 start = now(), global = nanoseconds();
    while (now() < start + hold) {}
    if (threadIdx.x == 0) { Record r = {start, now(), global, sm(), 0}; out[blockIdx.x] = r; }
}
