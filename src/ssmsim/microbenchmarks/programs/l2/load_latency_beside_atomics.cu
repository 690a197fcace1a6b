// Loads that hit in the L2 amid additions to other lines of it, by warps of all SMs.
#include "memory.cuh"

#define RED(at) asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" :: "l"(at), "f"(1.f) : "memory")
#define REGION (4u << 20)

// Per round a warp adds to so many lines, calculates for `pace` FMULs, then loads a line of the second region and awaits it.
// apart: each warp's lines are its own; else all warps go through the same ones.
KERNEL amid(Record* out, int n, char* base, u32 adds, u32 apart, int pace) {
    u32 lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, s = 0;
    u32 at = apart ? warp * 128 * 37 : 0, from = warp * 128 * 61;
    float f = 1.f + lane;
    __syncthreads();
    u64 start = now();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll 1
        for (u32 k = 0; k < adds; k++, at += 128) RED(base + (at & REGION - 128) + lane * 4);
#pragma unroll 1
        for (int k = 0; k < pace; k += 16) { TIMES16(asm volatile("mul.f32 %0, %0, %1;" : "+f"(f) : "f"(1.0001f));) }
        s = load_l2(W1(), base + REGION + (from + s & REGION - 128) + lane * 4);  // zero, but the next round waits for it
        from += 128 * 1021;
    }
    leave(out, start, s + (u32)f);
}
