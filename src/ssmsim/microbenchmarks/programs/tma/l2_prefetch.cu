// Bulk and tensor prefetches into the L2: how fast they issue, and what a later load gains.
#include "sweep.cuh"
#include "async.cuh"
extern __shared__ __align__(1024) char pool[];

__device__ __forceinline__ void fetch(const void* from, u32 bytes) { VOLATILE("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory"); }
__device__ __forceinline__ void fetch_2d(const void* map, u32 x, u32 y) { VOLATILE("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(map), "r"(x), "r"(y) : "memory"); }

KERNEL bulk(Record* out, int n, const char* base, u32 region, u32 bytes, u32 apart) {
    u32 at = blockIdx.x * apart & region - 1;
    bool mine = elected();
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        #pragma unroll
        for (int k = 0; k < 4; k++) {
            if (mine) fetch(base + at, bytes);
            at = at + bytes & region - 1;
        }
    }
    leave(out, start, at);
}

// Tiles of `step` rows, around `rows`.
KERNEL tensor(Record* out, int n, const char* map, u32 step, u32 rows, u32 apart) {
    u32 y = blockIdx.x * apart & rows - 1;
    bool mine = elected();
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        #pragma unroll
        for (int k = 0; k < 4; k++) {
            if (mine) fetch_2d(map, 0, y);
            y = y + step & rows - 1;
        }
    }
    leave(out, start, y);
}

// A round: a prefetch or none, a chain of multiplications, and a bulk load of the same bytes, waited for, or none.
#define FETCHED(name, FETCH, LOAD)                                                                                     \
    KERNEL name(Record* out, int n, const char* base, u32 region, u32 bytes, u32 pause) {                              \
        __shared__ u64 bar;                                                                                            \
        u32 b = shared_address(&bar), to = shared_address(pool), at = 0, x = pause;                                    \
        if (elected()) { init(b, 1); fence_init(); }                                                                   \
        __syncthreads();                                                                                               \
        bool mine = elected();                                                                                         \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            if (mine && FETCH) fetch(base + at, bytes);                                                                \
            _Pragma("unroll 1") for (u32 k = 0; k < pause; k++) { VOLATILE(TIMES64("mad.lo.u32 %0, %0, %0, %0;") : "+r"(x)); } \
            if (LOAD) {                                                                                                \
                if (mine) { expect(b, bytes); load_bulk(to, base + at, bytes, b); }                                    \
                wait(b, i & 1);                                                                                        \
            }                                                                                                          \
            at = at + 16384 & region - 1;                                                                              \
        }                                                                                                              \
        leave(out, start, x);                                                                                          \
    }
FETCHED(fetched, true, true)
FETCHED(unfetched, false, true)
FETCHED(pause_alone, true, false)
FETCHED(pause, false, false)
