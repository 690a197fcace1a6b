// DRAM reads of one warp per SM beside writes of the others. Neighbouring SMs read and write neighbouring 512 bytes.
#include "memory.cuh"

template <int D>
__device__ __forceinline__ void loaded(Record* out, int n, char* base, int reads, int writes, int pace, int who) {
    const u64 half = 2ull << 30;
    u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31, s = 0;
    u32 writers = (blockDim.x >> 5) - 1;
    float f = 1.f + lane;
    __syncthreads();
    u64 start = now();
    if (warp == 0) {
        u64 at = blockIdx.x * 512 + lane * 16, step = gridDim.x * 512;
#pragma unroll 1
        for (int i = 0; i < n * reads; i++) {
            u32 v[D];
#pragma unroll
            for (int d = 0; d < D; d++) v[d] = load_global(W4(), base + ((at + d * step) & (half - 1)));
            u32 t = 0;
#pragma unroll
            for (int d = 0; d < D; d++) t ^= v[d];
            at += D * step + (t & 16);  // all zeros: the next round waits for this one
        }
        if (who != 1) leave(out, start, s + (u32)at);
    } else {
        u64 at = (blockIdx.x * writers + warp - 1) * 512 + lane * 16, step = (u64)gridDim.x * writers * 512;
#pragma unroll 1
        for (int i = 0; i < n * writes; i++) {
            store_global(W4(), base + half + (at & (half - 1)), 0);
            at += step;
#pragma unroll 1
            for (int k = 0; k < pace; k += 16) { TIMES16(asm volatile("mul.f32 %0, %0, %1;" : "+f"(f) : "f"(1.0001f));) }
        }
        if (who != 0) leave(out, start, (u32)f);
    }
}
KERNEL loaded_1(Record* out, int n, char* base, int reads, int writes, int pace, int who) { loaded<1>(out, n, base, reads, writes, pace, who); }
KERNEL loaded_4(Record* out, int n, char* base, int reads, int writes, int pace, int who) { loaded<4>(out, n, base, reads, writes, pace, who); }
