// Additions in the L2 by warps of all SMs, to the same few places or to many.
#include "common.cuh"

#define RED(at) asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" :: "l"(at), "f"(1.f) : "memory")
#define ATOM(at) asm volatile("atom.relaxed.gpu.global.add.f32 %0, [%1], %2;" : "=f"(v) : "l"(at), "f"(1.f) : "memory")

// Warp w adds to the words of lanes 0 to lanes - 1 at place w % places, `move` bytes farther in each round.
#define ADDS(name, ADD)                                                                                               \
    KERNEL adds_##name(Record* out, int n, char* base, u32 places, u32 stride, u32 lanes, u32 move, u32 mask) {       \
        u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31, at = warp % places * stride; \
        float v = 0;                                                                                                  \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        if (lane < lanes)                                                                                             \
            _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                         \
                ADD(base + (at & mask) + lane * 4);                                                                   \
                at += move;                                                                                           \
            }                                                                                                         \
        __syncwarp();                                                                                                 \
        asm volatile("fence.acq_rel.gpu;" ::: "memory");                                                              \
        leave(out, start, __float_as_uint(v));                                                                        \
    }
ADDS(red, RED)
ADDS(atom, ATOM)
