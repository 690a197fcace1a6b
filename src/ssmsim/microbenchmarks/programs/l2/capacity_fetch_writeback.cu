// What L2 keeps, fetches and writes back: passes over buffers, counted by the profiler.
#include "memory.cuh"

// Passes over a buffer in order, `piece` bytes wide accesses every `stride` bytes by all threads of the grid (no reuse in L1).
#define TOUCH(name, access)                                                                                           \
    KERNEL name(u32* sink, char* base, u64 bytes, int stride, int passes) {                                           \
        u32 s = 0;                                                                                                    \
        u64 step = (u64)gridDim.x * blockDim.x * stride;                                                              \
        for (int pass = 0; pass < passes; pass++)                                                                     \
            for (u64 at = (u64)(blockIdx.x * blockDim.x + threadIdx.x) * stride; at < bytes; at += step) { access; }  \
        if (s == 0x9e3779b9u) *sink = s;                                                                              \
    }
TOUCH(touch_read4, s ^= load_l2(W1(), base + at))
TOUCH(touch_read16, s ^= load_l2(W4(), base + at))
TOUCH(touch_plain16, s ^= load_global(W4(), base + at))
TOUCH(touch_write4, store_global(W1(), base + at, (u32)at))
TOUCH(touch_write16, store_global(W4(), base + at, (u32)at))
TOUCH(touch_read64B, u32 v; asm volatile("ld.global.L2::64B.u32 %0, [%1];" : "=r"(v) : "l"(base + at)); s ^= v)
TOUCH(touch_read128B, u32 v; asm volatile("ld.global.L2::128B.u32 %0, [%1];" : "=r"(v) : "l"(base + at)); s ^= v)
TOUCH(touch_read256B, u32 v; asm volatile("ld.global.L2::256B.u32 %0, [%1];" : "=r"(v) : "l"(base + at)); s ^= v)
TOUCH(touch_default4, u32 v; asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(base + at)); s ^= v)
TOUCH(touch_red4, asm volatile("red.global.add.f32 [%0], %1;" :: "l"(base + at), "f"(1.f) : "memory"))
