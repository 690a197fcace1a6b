// DRAM: streams of reads and writes at a chosen ratio and depth, timed over gigabytes.
#include "streams.cuh"

STREAM(1, 0, 1) STREAM(1, 0, 2) STREAM(1, 0, 4) STREAM(1, 0, 8)
STREAM(0, 1, 1) STREAM(0, 1, 4)
STREAM(1, 1, 1) STREAM(1, 1, 4) STREAM(2, 1, 2) STREAM(3, 1, 2) STREAM(1, 2, 2) STREAM(7, 1, 1)

// Each thread reads or writes 4 bytes every `stride` bytes: how much of a sector, a line, a burst is paid for.
KERNEL strided_read(u32* sink, char* base, u64 bytes, int stride) {
    u64 step = (u64)gridDim.x * blockDim.x * stride;
    u32 s = 0;
    for (u64 at = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * stride; at + 3 * step < bytes; at += 4 * step)
#pragma unroll
        for (int k = 0; k < 4; k++) s ^= load_global(W1(), base + at + k * step);
    if (s == 0x9e3779b9u) *sink = s;
}
KERNEL strided_write(u32* sink, char* base, u64 bytes, int stride) {
    u64 step = (u64)gridDim.x * blockDim.x * stride;
    for (u64 at = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * stride; at < bytes; at += step)
        store_global(W1(), base + at, (u32)at);
}
// Each block reads tiles of `rows` rows of 128 bytes, `pitch` bytes apart: row-buffer locality of tiled kernels.
KERNEL tiles(u32* sink, char* base, u64 bytes, u32 pitch, int rows) {
    u32 s = 0;
    u64 band = (u64)pitch * rows, tiles_per_band = pitch / 128, count = bytes / band * tiles_per_band;
    for (u64 tile = blockIdx.x; tile < count; tile += gridDim.x) {
        char* corner = base + tile / tiles_per_band * band + tile % tiles_per_band * 128;
#pragma unroll 4
        for (int row = threadIdx.x >> 3; row < rows; row += blockDim.x >> 3)
            s ^= load_global(W4(), corner + (u64)row * pitch + (threadIdx.x & 7) * 16);
    }
    if (s == 0x9e3779b9u) *sink = s;
}
