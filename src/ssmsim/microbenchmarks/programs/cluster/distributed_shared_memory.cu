// Shared memory of another block of the cluster: loads, stores, arrivals, copies. Every block works on the next one's.
#include "async.cuh"
extern __shared__ __align__(1024) char pool[];

#define BEGIN(SIZE)                                                                                                    \
    u32 rank = rank_in_cluster(), other = (rank + distance) % SIZE, own = shared_address(pool), to = in_block(own, other); \
    for (u32 k = threadIdx.x; k < 8192; k += blockDim.x) ((u32*)pool)[k] = 0;                                          \
    cluster_sync();
#define END cluster_sync();

template <int SIZE> __device__ __forceinline__ void load_latency(Record* out, int n, u32 distance) {
    BEGIN(SIZE) u32 at = to, v = 0;
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++) { VOLATILE("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory"); at += v; }
    leave(out, start, at);
    END
}
template <int SIZE> __device__ __forceinline__ void loads(Record* out, int n, u32 distance) {
    BEGIN(SIZE) u32 at = to + threadIdx.x % 512 * 16, v[4], sum = 0;
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        #pragma unroll
        for (int k = 0; k < 4; k++) {
            VOLATILE("ld.volatile.shared::cluster.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(at + k * 8192) : "memory");
            sum += v[0];
        }
    }
    leave(out, start, sum);
    END
}
template <int SIZE> __device__ __forceinline__ void stores(Record* out, int n, u32 distance) {
    BEGIN(SIZE) u32 at = to + threadIdx.x % 512 * 16;
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        #pragma unroll
        for (int k = 0; k < 4; k++)
            VOLATILE("st.volatile.shared::cluster.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(at + k * 8192), "r"(i) : "memory");
    }
    END
    leave(out, start, at);
}
// Blocks 0 and `distance` wake each other.
template <int SIZE> __device__ __forceinline__ void turns(Record* out, int n, u32 distance) {
    __shared__ u64 bar;
    BEGIN(SIZE) u32 b = shared_address(&bar), there = in_block(b, rank == 0 ? distance : 0);
    if (threadIdx.x == 0) { init(b, 1); fence_init(); }
    cluster_sync();
    bool mine = elected();
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (rank == 0) { if (mine) arrive_remote(there); wait(b, i & 1); }
        else if (rank == distance) { wait(b, i & 1); if (mine) arrive_remote(there); }
    }
    leave(out, start, mine);
    END
}
template <int SIZE> __device__ __forceinline__ void turns_plain(Record* out, int n, u32 distance) {
    __shared__ u64 bar;
    BEGIN(SIZE) u32 b = shared_address(&bar), there = in_block(b, rank == 0 ? distance : 0);
    if (threadIdx.x == 0) { init(b, 1); fence_init(); }
    cluster_sync();
    bool mine = elected();
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (rank == 0) { if (mine) arrive_there(there); wait(b, i & 1); }
        else if (rank == distance) { wait(b, i & 1); if (mine) arrive_there(there); }
    }
    leave(out, start, mine);
    END
}
template <int SIZE> __device__ __forceinline__ void copies(Record* out, int n, u32 distance, u32 bytes, u32 depth) {
    __shared__ u64 bar[4];
    BEGIN(SIZE) u32 b = shared_address(bar), there = in_block(b, other);
    if (threadIdx.x == 0) { for (int s = 0; s < 4; s++) init(b + 8 * s, 1); fence_init(); }
    fence_async();
    cluster_sync();
    bool mine = elected();
    u64 start = now();
    for (u32 s = 0; s < depth; s++)
        if (mine) { expect(b + 8 * s, bytes); copy_remote(to + s * bytes, own + s * bytes, bytes, there + 8 * s); }
    u32 s = 0, parity = 0;
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        wait(b + 8 * s, parity);
        if (mine) { expect(b + 8 * s, bytes); copy_remote(to + s * bytes, own + s * bytes, bytes, there + 8 * s); }
        s++;
        if (s == depth) { s = 0; parity ^= 1; }
    }
    for (u32 k = 0; k < depth; k++) {
        wait(b + 8 * s, parity);
        s++;
        if (s == depth) { s = 0; parity ^= 1; }
    }
    leave(out, start, s);
    END
}
template <int SIZE> __device__ __forceinline__ void store_async(Record* out, int n, u32 distance) {
    __shared__ u64 bar;
    BEGIN(SIZE) u32 b = shared_address(&bar), there = in_block(b, other);
    if (threadIdx.x == 0) { init(b, 1); fence_init(); }
    cluster_sync();
    bool mine = elected();
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (mine) expect(b, 128);
        VOLATILE("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to + threadIdx.x * 4), "r"(i), "r"(there) : "memory");
        wait(b, i & 1);
    }
    leave(out, start, mine);
    END
}
#define PLAIN(SIZE, NAME)                                                                                              \
    extern "C" __global__ void __cluster_dims__(SIZE, 1, 1) NAME##_##SIZE(Record* out, int n, u32 distance) { NAME<SIZE>(out, n, distance); }
#define OF(SIZE)                                                                                                       \
    PLAIN(SIZE, load_latency) PLAIN(SIZE, loads) PLAIN(SIZE, stores) PLAIN(SIZE, turns) PLAIN(SIZE, turns_plain) PLAIN(SIZE, store_async)        \
    extern "C" __global__ void __cluster_dims__(SIZE, 1, 1) copies_##SIZE(Record* out, int n, u32 distance, u32 bytes, u32 depth) { copies<SIZE>(out, n, distance, bytes, depth); }
OF(2) OF(4) OF(8)
