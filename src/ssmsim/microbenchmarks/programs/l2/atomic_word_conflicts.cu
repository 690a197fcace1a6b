// Additions of warps some of whose lanes name the same word.
#include "common.cuh"

#define F32(at) asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" :: "l"(at), "f"(1.f) : "memory")
#define ATOM(at) asm volatile("atom.relaxed.gpu.global.add.f32 %0, [%1], %2;" : "=f"(v) : "l"(at), "f"(1.f) : "memory")
#define U32(at) asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" :: "l"(at), "r"(lane | 1) : "memory")
#define MAX32(at) asm volatile("red.relaxed.gpu.global.max.u32 [%0], %1;" :: "l"(at), "r"(lane) : "memory")
#define U64(at) asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" :: "l"(at), "l"((u64)lane) : "memory")
#define F64(at) asm volatile("red.relaxed.gpu.global.add.f64 [%0], %1;" :: "l"(at), "d"(1.0) : "memory")
#define BF16X2(at) asm volatile("red.relaxed.gpu.global.add.noftz.bf16x2 [%0], %1;" :: "l"(at), "r"(0x3f803f80) : "memory")
#define CAS(at) asm volatile("atom.relaxed.gpu.global.cas.b32 %0, [%1], %2, %2;" : "=f"(v) : "l"(at), "f"(0.f) : "memory")

// Lanes share, or lanes apart, name one element of `size` bytes; warp w begins at place w % places, `move` bytes farther each round.
#define ADDS(name, ADD)                                                                                                \
    KERNEL conflicts_##name(Record* out, int n, char* base, u32 places, u32 stride, u32 share, u32 apart, u32 size, u32 move, \
                            u32 mask) {                                                                                \
        u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31, at = warp % places * stride; \
        u32 element = (lane / share % apart) * size;                                                                   \
        float v = 0;                                                                                                   \
        __syncthreads();                                                                                               \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            ADD(base + (at & mask) + element);                                                                         \
            at += move;                                                                                                \
        }                                                                                                              \
        asm volatile("fence.acq_rel.gpu;" ::: "memory");                                                               \
        leave(out, start, __float_as_uint(v));                                                                         \
    }
ADDS(f32, F32)
ADDS(atom, ATOM)
ADDS(u32, U32)
ADDS(max, MAX32)
ADDS(u64, U64)
ADDS(f64, F64)
ADDS(bf16x2, BF16X2)
ADDS(cas, CAS)
