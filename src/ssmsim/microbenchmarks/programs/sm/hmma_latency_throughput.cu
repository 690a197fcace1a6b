// mma.sync: a chain on the accumulator (latency) and 8 independent accumulators (rate).
#include "common.cuh"

#define BF16(d) asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#define BF16K8(d) asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" \
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]));
#define TF32(d) asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));

#define MMA(name, op)                                                                                                 \
    KERNEL name##_chain(Record* out, int n, u32 x, u32 y) {                                                           \
        u32 a[4] = {x + threadIdx.x, x, y, x ^ threadIdx.x}, b[2] = {y + threadIdx.x, x * threadIdx.x};               \
        float d[4] = {0, 0, 0, 0};                                                                                    \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) { TIMES16(op(d)) }                                            \
        leave(out, start, (u32)(d[0] + d[1] + d[2] + d[3]));                                                          \
    }                                                                                                                 \
    KERNEL name##_rate(Record* out, int n, u32 x, u32 y) {                                                            \
        u32 a[4] = {x + threadIdx.x, x, y, x ^ threadIdx.x}, b[2] = {y + threadIdx.x, x * threadIdx.x};               \
        float d[8][4];                                                                                                \
        _Pragma("unroll") for (int k = 0; k < 32; k++) d[k / 4][k % 4] = 0;                                           \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            TWICE(op(d[0]) op(d[1]) op(d[2]) op(d[3]) op(d[4]) op(d[5]) op(d[6]) op(d[7]))                            \
        }                                                                                                             \
        float s = 0;                                                                                                  \
        _Pragma("unroll") for (int k = 0; k < 32; k++) s += d[k / 4][k % 4];                                          \
        leave(out, start, (u32)s);                                                                                    \
    }
MMA(bf16, BF16)
MMA(bf16k8, BF16K8)
MMA(tf32, TF32)

// 8 HMMA and 24 FFMA: do they overlap?
KERNEL bf16_ffma_rate(Record* out, int n, u32 x, u32 y) {
    u32 a[4] = {x + threadIdx.x, x, y, x ^ threadIdx.x}, b[2] = {y + threadIdx.x, x * threadIdx.x};
    float d[8][4], f[8], g = x + threadIdx.x, h = y * threadIdx.x + 1.f;
#pragma unroll
    for (int k = 0; k < 32; k++) d[k / 4][k % 4] = 0, f[k & 7] = g + k;
    __syncthreads();
    u64 start = now();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            BF16(d[k])
#pragma unroll
            for (int j = 0; j < 3; j++) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(f[(k * 3 + j) & 7]) : "f"(g), "f"(h));
        }
    }
    float s = 0;
#pragma unroll
    for (int k = 0; k < 32; k++) s += d[k / 4][k % 4] + f[k & 7];
    leave(out, start, (u32)s);
}
