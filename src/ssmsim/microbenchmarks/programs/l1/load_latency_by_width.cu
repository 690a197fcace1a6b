// A load whose value, zero, goes into the next address. lane: one lane of each warp loads 4 bytes.
#include "common.cuh"

#define WIDTHS(policy, width, BYTES, LANES, LOAD)                                                                     \
    KERNEL widths_##policy##_##width(Record* out, int n, char* base, u64 mask) {                                      \
        u64 at = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * BYTES, step = (u64)gridDim.x * blockDim.x * BYTES;    \
        u32 v = 0, w, x, y;                                                                                           \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        if ((threadIdx.x & 31) < LANES) {                                                                             \
            _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                         \
                char* p = base + (at & mask);                                                                         \
                LOAD                                                                                                  \
                at += step + v;                                                                                       \
            }                                                                                                         \
        }                                                                                                             \
        leave(out, start, (u32)at);                                                                                   \
    }
#define LOAD1(policy) asm volatile("ld.global." policy ".u32 %0, [%1];" : "=r"(v) : "l"(p));
#define LOAD2(policy) asm volatile("ld.global." policy ".v2.u32 {%0,%1}, [%2];" : "=r"(v), "=r"(w) : "l"(p));
#define LOAD4(policy) asm volatile("ld.global." policy ".v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v), "=r"(w), "=r"(x), "=r"(y) : "l"(p));
#define POLICY(policy)                                                                                                \
    WIDTHS(policy, lane, 128, 1, LOAD1(#policy)) WIDTHS(policy, w1, 4, 32, LOAD1(#policy))                            \
    WIDTHS(policy, w2, 8, 32, LOAD2(#policy)) WIDTHS(policy, w4, 16, 32, LOAD4(#policy))
POLICY(ca) POLICY(cg)
