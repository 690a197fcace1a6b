// Groups of four warps copy tiles of rows of 128 bytes, stage by stage, each awaited behind a load, as Triton's loops over heads do.
#include "sweep.cuh"
extern __shared__ u32 pool[];

// Tile g of round i: rows `row` apart from base + g * tile + i * column.
struct Layout { u64 tile, column, row; };

#define MUL asm volatile("mul.f32 %0, %0, %1;" : "+f"(f) : "f"(1.0001f));
#define STAGES(K)                                                                                                      \
    KERNEL stages_##K(Record* out, int n, char* base, Layout from, u32 share, u32 chain, const u32* words) {                     \
        u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, s = 0;                                                   \
        u32 to = (u32)__cvta_generic_to_shared(pool) + warp * K * 512 + lane * 16;                                     \
        const char* at = base + blockIdx.x / share * from.tile + (u64)(warp * K * 4 + lane / 8) * from.row + (lane & 7) * 16;           \
        float f = 1.f + lane;                                                                                          \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            __syncthreads();                                                                                           \
            _Pragma("unroll") for (int k = 0; k < K; k++)                                                              \
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"                                               \
                    :: "r"(to + k * 512), "l"(at + (u64)(k * 4) * from.row) : "memory");                               \
            asm volatile("cp.async.commit_group;" ::: "memory");                                                       \
            u32 v; asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(words + lane) : "memory");                   \
            f += v;                                                                                                    \
            _Pragma("unroll 1") for (int j = 0; j < chain; j++) { TIMES64(MUL) }                                       \
            asm volatile("cp.async.wait_group 0;" ::: "memory");                                                       \
            at += from.column;                                                                                         \
        }                                                                                                              \
        leave(out, start, s + (u32)f);                                                                                 \
    }
STAGES(4) STAGES(8) STAGES(16)
