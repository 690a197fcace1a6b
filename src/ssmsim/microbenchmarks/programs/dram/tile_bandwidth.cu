// Tiles of 32 KB that groups of four warps read and write: rows of 128 bytes far apart, as kernels read matrices, or one piece.
#include "memory.cuh"
#include "sweep.cuh"

// Tile t lies at column t / 64 and place t % 64: bytes to the next place, column and row of 128 bytes.
struct Layout { u64 place, column, row; };

// Per round a group reads a tile of 256 rows, 64 at a time, and writes one of 32 KB, if READ and WRITE.
template <int READ, int WRITE>
__device__ __forceinline__ void tiles(Record* out, int n, char* base, u64 there, Layout from, Layout to) {
    u32 lane = threadIdx.x & 31, w = threadIdx.x >> 5 & 3, s = 0;
    u32 group = (blockIdx.x * blockDim.x + threadIdx.x) >> 7, groups = gridDim.x * blockDim.x >> 7;
    __syncthreads();
    u64 start = now();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        u32 tile = i * groups + group;
        const char* at = base + tile % 64 * from.place + tile / 64 * from.column + (lane & 7) * 16;
        char* out_at = base + there + tile % 64 * to.place + tile / 64 * to.column + (lane & 7) * 16;
        u32 v[4] = {};
#pragma unroll 1
        for (int k = 0; k < 4 * READ; k++) {
            u32 row = k * 64 + w * 16 + lane / 8;
#pragma unroll
            for (int d = 0; d < 4; d++) v[d] = load_l2(W4(), at + (u64)(row + 4 * d) * from.row);
#pragma unroll
            for (int d = 0; d < 4; d++) s ^= v[d];
        }
#pragma unroll 4
        for (int k = 0; k < 16 * WRITE; k++) store_global(W4(), out_at + (u64)(w * 64 + k * 4 + lane / 8) * to.row, v[k & 3]);
    }
    leave(out, start, s);
}
KERNEL tiles_read(Record* out, int n, char* base, u64 there, Layout from, Layout to) { tiles<1, 0>(out, n, base, there, from, to); }
KERNEL tiles_write(Record* out, int n, char* base, u64 there, Layout from, Layout to) { tiles<0, 1>(out, n, base, there, from, to); }
KERNEL tiles_both(Record* out, int n, char* base, u64 there, Layout from, Layout to) { tiles<1, 1>(out, n, base, there, from, to); }
