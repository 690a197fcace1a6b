// mbarrier.arrive_drop beside mbarrier.arrive.
#include "async.cuh"

__device__ __forceinline__ void drop(u32 bar) { VOLATILE("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory"); }
__device__ __forceinline__ void arrive_many(u32 bar, u32 count) { VOLATILE("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(count) : "memory"); }

// At a barrier that waits for many more.
#define ARRIVALS(name, ONE, GUARD)                                                                                     \
    KERNEL name(Record* out, int n) {                                                                                  \
        __shared__ u64 bar;                                                                                            \
        u32 b = shared_address(&bar);                                                                                  \
        if (threadIdx.x == 0) { init(b, (1 << 20) - 1); fence_init(); }                                                \
        __syncthreads();                                                                                               \
        bool mine = elected();                                                                                         \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++)                                                                \
            if (GUARD) { ONE(b); ONE(b); ONE(b); ONE(b); }                                                             \
        leave(out, start, mine);                                                                                       \
    }
ARRIVALS(arrivals, arrive, mine)
ARRIVALS(drops, drop, mine)
ARRIVALS(arrivals_all, arrive, true)
ARRIVALS(drops_all, drop, true)

// One arrival, or one that drops out, the arrivals of all others at once, and the wait for the phase.
#define PHASES(name, ONE, LESS)                                                                                        \
    KERNEL name(Record* out, int n) {                                                                                  \
        __shared__ u64 bar;                                                                                            \
        u32 b = shared_address(&bar), others = (1 << 19) - 1;                                                          \
        if (threadIdx.x == 0) { init(b, 1 << 19); fence_init(); }                                                      \
        __syncthreads();                                                                                               \
        bool mine = elected();                                                                                         \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            if (mine) { ONE(b); arrive_many(b, others); }                                                              \
            others -= LESS;                                                                                            \
            wait(b, i & 1);                                                                                            \
        }                                                                                                              \
        leave(out, start, others);                                                                                     \
    }
PHASES(phases, arrive, 0)
PHASES(phases_drop, drop, 1)
