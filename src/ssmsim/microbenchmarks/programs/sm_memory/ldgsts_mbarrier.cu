// Asynchronous copies whose completion arrives at an mbarrier, beside groups of copies.
#include "async.cuh"
extern __shared__ __align__(1024) char pool[];

__device__ __forceinline__ void arrive_noinc(u32 bar) { VOLATILE("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(bar) : "memory"); }
__device__ __forceinline__ void arrive_inc(u32 bar) { VOLATILE("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(bar) : "memory"); }
__device__ __forceinline__ void copy16(u32 to, const char* from) { VOLATILE("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory"); }
__device__ __forceinline__ void wait_group0() { VOLATILE("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory"); }

// A round: `COUNT` copies of 16 bytes per thread, and the wait for all of them and for all warps.
#define ROUND(name, COUNT, END)                                                                                        \
    KERNEL name##_##COUNT(Record* out, int n, const char* base, u32 region) {                                          \
        __shared__ u64 bar;                                                                                            \
        u32 b = shared_address(&bar), to = shared_address(pool) + threadIdx.x * 16, at = 0;                            \
        const char* from = base + threadIdx.x * 16;                                                                    \
        if (threadIdx.x == 0) { init(b, blockDim.x); fence_init(); }                                                   \
        __syncthreads();                                                                                               \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            _Pragma("unroll") for (int k = 0; k < COUNT; k++) {                                                        \
                copy16(to + k * blockDim.x * 16, from + at);                                                           \
                at = (at + blockDim.x * 16) & (region - 1);                                                            \
            }                                                                                                          \
            END;                                                                                                       \
        }                                                                                                              \
        leave(out, start, to);                                                                                         \
    }
#define COUNTS(name, END) ROUND(name, 0, END) ROUND(name, 1, END) ROUND(name, 2, END) ROUND(name, 4, END) ROUND(name, 8, END)
COUNTS(noinc, arrive_noinc(b); wait(b, i & 1))
COUNTS(inc, arrive_inc(b); arrive(b); wait(b, i & 1))
COUNTS(group, wait_group0())
COUNTS(group_arrive, wait_group0(); arrive(b); wait(b, i & 1))

// Arrivals of copies at a barrier that waits for many more: no copies are on their way.
KERNEL arrivals(Record* out, int n) {
    __shared__ u64 bar;
    u32 b = shared_address(&bar);
    if (threadIdx.x == 0) { init(b, (1 << 20) - 1); fence_init(); }
    __syncthreads();
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++) { arrive_noinc(b); arrive_noinc(b); arrive_noinc(b); arrive_noinc(b); }
    leave(out, start, b);
}
KERNEL arrivals_inc(Record* out, int n) {
    __shared__ u64 bar;
    u32 b = shared_address(&bar);
    if (threadIdx.x == 0) { init(b, (1 << 20) - 1); fence_init(); }
    __syncthreads();
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++) arrive_inc(b);  // ptxas makes one of several
    leave(out, start, b);
}

// Two stages of four copies per thread in turn: a round asks for one stage and waits for the other.
KERNEL stream(Record* out, int n, const char* base, u32 region) {
    __shared__ u64 bar[2];
    u32 b = shared_address(bar), to = shared_address(pool) + threadIdx.x * 16, step = gridDim.x * blockDim.x * 16;
    u32 at = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
    if (threadIdx.x == 0) { init(b, blockDim.x); init(b + 8, blockDim.x); fence_init(); }
    __syncthreads();
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        #pragma unroll
        for (int k = 0; k < 4; k++) {
            copy16(to + (k + (i & 1) * 4) * blockDim.x * 16, base + at);
            at = (at + step) & (region - 1);
        }
        arrive_noinc(b + (i & 1) * 8);
        if (i) wait(b + (i - 1 & 1) * 8, (i - 1) >> 1 & 1);
    }
    wait(b + (n - 1 & 1) * 8, (n - 1) >> 1 & 1);
    leave(out, start, to);
}
