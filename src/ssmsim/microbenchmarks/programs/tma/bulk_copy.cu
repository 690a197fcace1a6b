// Runs of bytes into shared memory and back: one after the other, or several on their way.
#include "async.cuh"
extern __shared__ __align__(1024) char pool[];

KERNEL load_latency(Record* out, int n, const char* base, u32 region, u32 bytes) {
    __shared__ u64 bar;
    u32 b = shared_address(&bar), to = shared_address(pool), at = 0;
    if (elected()) { init(b, 1); fence_init(); }
    __syncthreads();
    bool mine = elected();
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (mine) { expect(b, bytes); load_bulk(to, base + at, bytes, b); }
        wait(b, i & 1);
        at = at + bytes & region - 1;
    }
    leave(out, start, at);
}

KERNEL load_stream(Record* out, int n, const char* base, u32 region, u32 bytes, u32 depth, u32 apart) {
    __shared__ u64 bar[8];
    u32 b = shared_address(bar), to = shared_address(pool), at = blockIdx.x * apart & region - 1;
    if (elected()) { for (u32 s = 0; s < 8; s++) init(b + 8 * s, 1); fence_init(); }
    __syncthreads();
    bool mine = elected();
    u64 start = now();
    for (u32 s = 0; s < depth; s++) {
        if (mine) { expect(b + 8 * s, bytes); load_bulk(to + s * bytes, base + at, bytes, b + 8 * s); }
        at = at + bytes & region - 1;
    }
    u32 s = 0, parity = 0;
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        wait(b + 8 * s, parity);
        if (mine) { expect(b + 8 * s, bytes); load_bulk(to + s * bytes, base + at, bytes, b + 8 * s); }
        at = at + bytes & region - 1;
        s++;
        if (s == depth) { s = 0; parity ^= 1; }
    }
    for (u32 k = 0; k < depth; k++) {
        wait(b + 8 * s, parity);
        s++;
        if (s == depth) { s = 0; parity ^= 1; }
    }
    leave(out, start, at);
}

// A store, its group, and the wait until its source has been read, or until it is written.
#define STORE(name, WAIT)                                                                                              \
    KERNEL name(Record* out, int n, const char* base, u32 region, u32 bytes) {                                         \
        u32 from = shared_address(pool), at = blockIdx.x * bytes & region - 1;                                         \
        bool mine = elected();                                                                                         \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            if (mine) { store_bulk(base + at, from, bytes); commit(); WAIT; }                                          \
            at = at + gridDim.x * bytes & region - 1;                                                                  \
        }                                                                                                              \
        if (mine) wait_written<0>();                                                                                   \
        leave(out, start, at);                                                                                         \
    }
STORE(store_read, wait_read<0>())
STORE(store_written, wait_written<0>())
STORE(store_stream, wait_read<3>())
