// mbarriers of one block: arrivals, phases, warps that wait for one another.
#include "async.cuh"

// All warps arrive, each with one lane or with all, and wait for the phase.
#define MEET(name, LANES, GUARD)                                                                                       \
    KERNEL name(Record* out, int n) {                                                                                  \
        __shared__ u64 bar;                                                                                            \
        u32 b = shared_address(&bar);                                                                                  \
        if (threadIdx.x == 0) { init(b, LANES); fence_init(); }                                                        \
        __syncthreads();                                                                                               \
        bool mine = elected();                                                                                         \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            if (GUARD) arrive(b);                                                                                      \
            wait(b, i & 1);                                                                                            \
        }                                                                                                              \
        leave(out, start, mine);                                                                                       \
    }
MEET(one_lane, blockDim.x / 32, mine)
MEET(all_lanes, blockDim.x, true)

// Two warps wake each other in turn.
KERNEL turns(Record* out, int n) {
    __shared__ u64 bar[2];
    u32 b = shared_address(bar), w = threadIdx.x >> 5;
    if (threadIdx.x == 0) { init(b, 1); init(b + 8, 1); fence_init(); }
    __syncthreads();
    bool mine = elected();
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (w == 0) { if (mine) arrive(b); wait(b + 8, i & 1); }
        else { wait(b, i & 1); if (mine) arrive(b + 8); }
    }
    leave(out, start, mine);
}

// Tries at a phase that has completed; the barrier's other phase never does.
KERNEL tries(Record* out, int n) {
    __shared__ u64 bar[8];
    u32 b = shared_address(bar);
    if (threadIdx.x == 0) { for (int s = 0; s < 8; s++) init(b + 8 * s, 1); fence_init(); }
    __syncthreads();
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++)
        for (int s = 0; s < 8; s++) wait(b + 8 * s, 1);
    leave(out, start, b);
}

// Arrivals at a barrier that waits for many more.
KERNEL arrivals(Record* out, int n) {
    __shared__ u64 bar;
    u32 b = shared_address(&bar);
    if (threadIdx.x == 0) { init(b, (1 << 20) - 1); fence_init(); }
    __syncthreads();
    bool mine = elected();
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++)
        if (mine) { arrive(b); arrive(b); arrive(b); arrive(b); arrive(b); arrive(b); arrive(b); arrive(b); }
    leave(out, start, b);
}
KERNEL arrivals_all(Record* out, int n) {
    __shared__ u64 bar;
    u32 b = shared_address(&bar);
    if (threadIdx.x == 0) { init(b, (1 << 20) - 1); fence_init(); }
    __syncthreads();
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++) { arrive(b); arrive(b); arrive(b); arrive(b); }
    leave(out, start, b);
}
