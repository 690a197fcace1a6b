// Asynchronous copies from global to shared memory: latency of one group, cycles per warp instruction.
#include "common.cuh"
extern __shared__ char pool[];

#define COPY(name, text)                                                                                              \
    KERNEL name##_latency(Record* out, int n, char* base, int region) {                                               \
        u32 to = (u32)__cvta_generic_to_shared(pool) + threadIdx.x * 16, at = 0;                                      \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            asm volatile(text :: "r"(to), "l"(base + at + threadIdx.x * 16) : "memory");                              \
            asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");                               \
            at = (at + blockDim.x * 16) & (region - 1);                                                               \
        }                                                                                                             \
        leave(out, start, to);                                                                                        \
    }                                                                                                                 \
    KERNEL name##_rate(Record* out, int n, char* base, int region) {                                                  \
        u32 to = (u32)__cvta_generic_to_shared(pool) + threadIdx.x * 16, at = 0;                                      \
        char* from = base + (u64)blockIdx.x * region + threadIdx.x * 16;                                              \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            _Pragma("unroll") for (int k = 0; k < 8; k++) {                                                           \
                asm volatile(text :: "r"(to), "l"(from + at) : "memory");                                             \
                at = (at + blockDim.x * 16) & (region - 1);                                                           \
            }                                                                                                         \
            asm volatile("cp.async.commit_group; cp.async.wait_group 2;" ::: "memory");                               \
        }                                                                                                             \
        asm volatile("cp.async.wait_group 0;" ::: "memory");                                                          \
        leave(out, start, to);                                                                                        \
    }                                                                                                                 \
    KERNEL name##_stream(Record* out, int n, char* base, u32 region) {                                                \
        u32 to = (u32)__cvta_generic_to_shared(pool) + threadIdx.x * 16, step = gridDim.x * blockDim.x * 16;          \
        u32 at = (blockIdx.x * blockDim.x + threadIdx.x) * 16;                                                        \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            _Pragma("unroll") for (int k = 0; k < 4; k++) {                                                           \
                asm volatile(text :: "r"(to + (k + (i & 1) * 4) * blockDim.x * 16), "l"(base + at) : "memory");       \
                at = (at + step) & (region - 1);                                                                      \
            }                                                                                                         \
            asm volatile("cp.async.commit_group; cp.async.wait_group 1;" ::: "memory");                               \
        }                                                                                                             \
        asm volatile("cp.async.wait_group 0;" ::: "memory");                                                          \
        leave(out, start, to);                                                                                        \
    }
COPY(cg16, "cp.async.cg.shared.global [%0], [%1], 16;")
COPY(ca16, "cp.async.ca.shared.global [%0], [%1], 16;")
COPY(ca8, "cp.async.ca.shared.global [%0], [%1], 8;")
COPY(ca4, "cp.async.ca.shared.global [%0], [%1], 4;")
