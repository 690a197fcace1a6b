// Tiles of a tensor into shared memory: one after the other, or several on their way.
#include "async.cuh"
extern __shared__ __align__(1024) char pool[];
const u32 STAGES = 8;

// bytes: of a tile. step: rows from a round's tile to the next one's, around `rows`; across: coordinate of its first column.
KERNEL latency(Record* out, int n, const char* map, u32 bytes, u32 step, u32 rows) {
    __shared__ u64 bar;
    u32 b = shared_address(&bar), to = shared_address(pool), y = 0;
    if (elected()) { init(b, 1); fence_init(); }
    __syncthreads();
    bool mine = elected();
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (mine) { expect(b, bytes); load_2d(to, map, b, 0, y); }
        wait(b, i & 1);
        y = y + step & rows - 1;
    }
    leave(out, start, y);
}

// A ring of STAGES tiles, `depth` of them on their way. Each block reads rows of its own.
KERNEL stream(Record* out, int n, const char* map, u32 bytes, u32 step, u32 rows, u32 depth, u32 apart) {
    __shared__ u64 bar[STAGES];
    u32 b = shared_address(bar), to = shared_address(pool), y = blockIdx.x * apart & rows - 1;
    if (elected()) { for (u32 s = 0; s < STAGES; s++) init(b + 8 * s, 1); fence_init(); }
    __syncthreads();
    bool mine = elected();
    u64 start = now();
    for (u32 s = 0; s < depth; s++) {
        if (mine) { expect(b + 8 * s, bytes); load_2d(to + s * bytes, map, b + 8 * s, 0, y); }
        y = y + step & rows - 1;
    }
    u32 s = 0, parity = 0;
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        wait(b + 8 * s, parity);
        if (mine) { expect(b + 8 * s, bytes); load_2d(to + s * bytes, map, b + 8 * s, 0, y); }
        y = y + step & rows - 1;
        s++;
        if (s == depth) { s = 0; parity ^= 1; }
    }
    for (u32 k = 0; k < depth; k++) {
        wait(b + 8 * s, parity);
        s++;
        if (s == depth) { s = 0; parity ^= 1; }
    }
    leave(out, start, y);
}

// As latency, each round by the next of `maps` descriptors.
KERNEL descriptors(Record* out, int n, const char* map, u32 bytes, u32 maps) {
    __shared__ u64 bar;
    u32 b = shared_address(&bar), to = shared_address(pool), which = 0;
    if (elected()) { init(b, 1); fence_init(); }
    __syncthreads();
    bool mine = elected();
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (mine) { expect(b, bytes); load_2d(to, map + 128 * which, b, 0, 0); }
        wait(b, i & 1);
        which = which + 1 & maps - 1;
    }
    leave(out, start, which);
}
