// Rounds of copies, a group each, of which the last few may be on their way: how soon DEPBAR lets the warp go on.
#include "common.cuh"
extern __shared__ char pool[];

#define FROM(k, bytes) (base + ((at + k * 512 * (blockDim.x >> 5) + threadIdx.x * bytes) & region))
#define TO(k) (own + k * 512)
#define CG16(k) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(TO(k)), "l"(FROM(k, 16)) : "memory");
#define CA4(k) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(TO(k)), "l"(FROM(k, 4)) : "memory");
#define COMMIT asm volatile("cp.async.commit_group;" ::: "memory");
#define WAIT(left) asm volatile("cp.async.wait_group %0;" :: "n"(left) : "memory");
#define SETUP                                                                                                         \
    u32 at = 0, own = (u32)__cvta_generic_to_shared(pool) + (threadIdx.x >> 5) * 4096 + (threadIdx.x & 31) * 16;     \
    __syncthreads();
#define NEXT at += 1024 * (blockDim.x >> 5);

// `delay`: turns of a loop of 29 cycles between a round's wait and the next round's copies.
#define DRAIN(name, copies, before, left)                                                                             \
    KERNEL drain_##name##_##left(Record* out, int n, char* base, u32 region, int delay) {                             \
        SETUP u32 x = threadIdx.x;                                                                                    \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            copies before COMMIT WAIT(left) NEXT                                                                      \
            _Pragma("unroll 1") for (int j = 0; j < delay; j++) asm volatile("xor.b32 %0, %0, %1;" : "+r"(x) : "r"(i));\
        }                                                                                                             \
        WAIT(0)                                                                                                       \
        leave(out, start, at + own + x);                                                                              \
    }
#define LEFTS(name, copies, before)                                                                                   \
    DRAIN(name, copies, before, 0) DRAIN(name, copies, before, 1) DRAIN(name, copies, before, 2)                      \
    DRAIN(name, copies, before, 4) DRAIN(name, copies, before, 12)
LEFTS(cg16, CG16(0), )
LEFTS(cg16x2, CG16(0) CG16(1), )
LEFTS(ca4, CA4(0), )
LEFTS(cg16_bar, CG16(0), __syncthreads();)
LEFTS(cg16x2_bar, CG16(0) CG16(1), __syncthreads();)
DRAIN(none, , , 12)

// The clock behind each round's wait.
#define TIMES(left)                                                                                                   \
    KERNEL times_##left(u32* times, int n, char* base, u32 region) {                                                  \
        SETUP u32* log = (u32*)(pool + 65536);                                                                        \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            CG16(0) COMMIT WAIT(left)                                                                                 \
            if (threadIdx.x == 0) log[i] = (u32)clock64();                                                            \
            NEXT                                                                                                      \
        }                                                                                                             \
        WAIT(0)                                                                                                       \
        __syncthreads();                                                                                              \
        for (u32 i = threadIdx.x; i < n; i += blockDim.x) times[i] = log[i];                                          \
    }
TIMES(0)
TIMES(1)
TIMES(2)
TIMES(4)
TIMES(12)
TIMES(30)
