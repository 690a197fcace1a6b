// Each block of a cluster loads its part of a tile and sends it to all.
#include "async.cuh"
extern __shared__ __align__(1024) char pool[];

// One part at a time; every block waits for the whole.
template <int SIZE> __device__ __forceinline__ void latency(Record* out, int n, const char* map, u32 bytes, u32 step, u32 rows) {
    __shared__ u64 bar;
    u32 b = shared_address(&bar), rank = rank_in_cluster(), to = shared_address(pool) + rank * bytes;
    u32 y = (blockIdx.x / SIZE * SIZE + rank) * step & rows - 1;
    if (elected()) { init(b, 1); fence_init(); }
    cluster_sync();
    bool mine = elected();
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (mine) { expect(b, SIZE * bytes); load_2d_multicast(to, map, b, 0, y, (1 << SIZE) - 1); }
        wait(b, i & 1);
        y = y + gridDim.x * step & rows - 1;
    }
    cluster_sync();
    leave(out, start, y);
}

// A ring of parts. A block sends the next one when all blocks have taken what was there.
template <int SIZE> __device__ __forceinline__ void stream(Record* out, int n, const char* map, u32 bytes, u32 step, u32 rows) {
    const u32 DEPTH = 4;
    __shared__ u64 bar[2 * DEPTH];
    u32 b = shared_address(bar), empty = b + 8 * DEPTH, rank = rank_in_cluster(), to = shared_address(pool) + rank * bytes;
    u32 y = (blockIdx.x / SIZE * SIZE + rank) * step & rows - 1;
    if (elected()) {
        for (u32 s = 0; s < DEPTH; s++) { init(b + 8 * s, 1); init(empty + 8 * s, SIZE); }
        fence_init();
    }
    cluster_sync();
    bool mine = elected();
    u64 start = now();
    u32 s = 0, parity = 1;
    #pragma unroll 1
    for (int i = 0; i < n + (int)DEPTH; i++) {
        if (i >= (int)DEPTH) {
            wait(b + 8 * s, parity);
            if (mine)
                for (u32 r = 0; r < SIZE; r++) arrive_there(in_block(empty + 8 * s, r));
        }
        if (i < n) {
            wait(empty + 8 * s, parity);
            if (mine) { expect(b + 8 * s, SIZE * bytes); load_2d_multicast(to + s * SIZE * bytes, map, b + 8 * s, 0, y, (1 << SIZE) - 1); }
            y = y + gridDim.x * step & rows - 1;
        }
        s++;
        if (s == DEPTH) { s = 0; parity ^= 1; }
    }
    cluster_sync();
    leave(out, start, y);
}

#define OF(SIZE)                                                                                                       \
    extern "C" __global__ void __cluster_dims__(SIZE, 1, 1) latency_##SIZE(Record* out, int n, const char* map, u32 bytes, u32 step, u32 rows) { latency<SIZE>(out, n, map, bytes, step, rows); } \
    extern "C" __global__ void __cluster_dims__(SIZE, 1, 1) stream_##SIZE(Record* out, int n, const char* map, u32 bytes, u32 step, u32 rows) { stream<SIZE>(out, n, map, bytes, step, rows); }
OF(1) OF(2) OF(4) OF(8)
