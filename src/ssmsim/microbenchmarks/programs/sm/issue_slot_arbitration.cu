// A sub-core's warps, the first `split` of them in one straight line of instructions and the others in another, which favours.py
// writes over the FFMAs here: those that round to nearest and those that round to zero.
#include "common.cuh"
#define LINE(mode) TIMES8("fma." mode ".f32 %0, %0, %4, %4; fma." mode ".f32 %1, %1, %4, %4; fma." mode ".f32 %2, %2, %4, %4; " \
                          "fma." mode ".f32 %3, %3, %4, %4;")
#define LINES(mode) asm volatile(LINE(mode) LINE(mode) LINE(mode) LINE(mode) : "+f"(w), "+f"(x), "+f"(y), "+f"(z) : "f"(a));
#define FAVOURS(name)                                                                                                  \
    KERNEL favours_##name(Record* out, int n, float a, int split) {                                                    \
        float w = a, x = a + threadIdx.x, y = a * threadIdx.x, z = a + 2 * threadIdx.x;                                \
        u64 start = now();                                                                                             \
        if ((int)(threadIdx.x >> 7) < split) {                                                                         \
            _Pragma("unroll 1") for (int i = 0; i < n; i++) { __syncthreads(); LINES("rn") }                           \
        } else {                                                                                                       \
            _Pragma("unroll 1") for (int i = 0; i < n; i++) { __syncthreads(); LINES("rz") }                           \
        }                                                                                                              \
        leave(out, start, (u32)(w + x + y + z));                                                                       \
    }
FAVOURS(share) FAVOURS(yields) FAVOURS(stalls) FAVOURS(stalls_yields) FAVOURS(woken) FAVOURS(woken_yields) FAVOURS(all_yield)
FAVOURS(run) FAVOURS(run_yields)
