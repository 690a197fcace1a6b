// Streams of reads and writes at a chosen ratio and depth: stream_R_W_D.
#pragma once
#include "memory.cuh"

// R reads then W writes of 16 bytes per thread and step, each in a stream of its own, D steps in flight.
template <int R, int W, int D>
__device__ __forceinline__ void stream(char* base, u64 bytes, u32* sink) {
    u64 threads = (u64)gridDim.x * blockDim.x, me = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * 16, step = threads * 16;
    u32 s = 0;
    for (u64 at = me; at + (D - 1) * step < bytes; at += D * step) {
        u32 v[R * D + 1];
#pragma unroll
        for (int d = 0; d < D; d++)
#pragma unroll
            for (int r = 0; r < R; r++) v[d * R + r] = load_global(W4(), base + r * bytes + at + d * step);
        v[R * D] = 0;
#pragma unroll
        for (int d = 0; d < D; d++)
#pragma unroll
            for (int w = 0; w < W; w++) store_global(W4(), base + (R + w) * bytes + at + d * step, v[R ? d * R : 0]);
#pragma unroll
        for (int k = 0; k < R * D; k++) s ^= v[k];
    }
    if (s == 0x9e3779b9u) *sink = s;
}
#define STREAM(R, W, D) KERNEL stream_##R##_##W##_##D(u32* sink, char* base, u64 bytes) { stream<R, W, D>(base, bytes, sink); }
