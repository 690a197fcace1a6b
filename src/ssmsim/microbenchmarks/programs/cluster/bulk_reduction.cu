// Bulk reductions into the shared memory of the next block of the cluster, beside bulk copies.
#include "async.cuh"
extern __shared__ __align__(1024) char pool[];

#define REDUCE(name, op)                                                                                               \
    __device__ __forceinline__ void name(u32 to, u32 from, u32 bytes, u32 bar) {                                       \
        VOLATILE("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." op " [%0], [%1], %2, [%3];" ::"r"(to), "r"(from), "r"(bytes), "r"(bar) : "memory"); \
    }
REDUCE(add_u32, "add.u32")
REDUCE(min_s32, "min.s32")
REDUCE(inc_u32, "inc.u32")
REDUCE(xor_b32, "xor.b32")
REDUCE(add_u64, "add.u64")

template <int SIZE, void (*OP)(u32, u32, u32, u32)> __device__ __forceinline__ void stream(Record* out, int n, u32 distance, u32 bytes, u32 depth) {
    __shared__ u64 bar[4];
    u32 rank = rank_in_cluster(), other = (rank + distance) % SIZE, own = shared_address(pool), to = in_block(own + 65536, other);
    u32 b = shared_address(bar), there = in_block(b, other);
    if (threadIdx.x == 0) { for (int s = 0; s < 4; s++) init(b + 8 * s, 1); fence_init(); }
    fence_async();
    cluster_sync();
    bool mine = elected();
    u64 start = now();
    for (u32 s = 0; s < depth; s++)
        if (mine) { expect(b + 8 * s, bytes); OP(to + s * bytes, own + s * bytes, bytes, there + 8 * s); }
    u32 s = 0, parity = 0;
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        wait(b + 8 * s, parity);
        if (mine) { expect(b + 8 * s, bytes); OP(to + s * bytes, own + s * bytes, bytes, there + 8 * s); }
        s++;
        if (s == depth) { s = 0; parity ^= 1; }
    }
    for (u32 k = 0; k < depth; k++) {
        wait(b + 8 * s, parity);
        s++;
        if (s == depth) { s = 0; parity ^= 1; }
    }
    leave(out, start, s);
    cluster_sync();
}
#define OF(SIZE, OP)                                                                                                   \
    extern "C" __global__ void __cluster_dims__(SIZE, 1, 1) OP##_##SIZE(Record* out, int n, u32 distance, u32 bytes, u32 depth) { stream<SIZE, OP>(out, n, distance, bytes, depth); }
#define ALL(OP) OF(2, OP) OF(4, OP)
ALL(copy_remote) ALL(add_u32) ALL(min_s32) ALL(inc_u32) ALL(xor_b32) ALL(add_u64)
