// Barriers, fences and votes of a block: cycles per round of all its warps.
#include "common.cuh"
extern __shared__ u32 pool[];

#define ROUNDS(name, text)                                                                                            \
    KERNEL name(Record* out, int n, int a, int b) {                                                                   \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) { TIMES16(asm volatile(text ::: "memory");) }                 \
        leave(out, start, 0);                                                                                         \
    }
ROUNDS(sync, "bar.sync 0;")
ROUNDS(sync_warp, "bar.warp.sync 0xffffffff;")
ROUNDS(membar_cta, "membar.cta;")
ROUNDS(membar_gl, "membar.gl;")
ROUNDS(fence_async, "fence.proxy.async.shared::cta;")

// Producer and consumer through shared memory: store, barrier, load of a neighbour's word, barrier.
KERNEL exchange(Record* out, int n, int a, int b) {
    u32 v = threadIdx.x;
    __syncthreads();
    u64 start = now();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        pool[threadIdx.x] = v;
        __syncthreads();
        v += pool[threadIdx.x ^ 32];
        __syncthreads();
    }
    leave(out, start, v);
}
