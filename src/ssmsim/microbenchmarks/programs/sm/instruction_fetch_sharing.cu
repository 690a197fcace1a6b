// Straight code of FFMAs, each on the result of the one before, run by warps of a sub-core that are at different places of it.
#include "common.cuh"

#define F asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(a));
#define F256 TIMES64(F) TIMES64(F) TIMES64(F) TIMES64(F)
// Warps of a sub-core begin `delay` times 16 FFMAs apart.
#define PHASES(N, BODY)                                                                                                \
    KERNEL phases_##N(Record* out, int n, float a, int delay) {                                                        \
        float x = a;                                                                                                   \
        int behind = delay * (int)(threadIdx.x >> 7);                                                                  \
        __syncthreads();                                                                                               \
        _Pragma("unroll 1") for (int k = 0; k < behind; k++) { TIMES16(F) }                                            \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) { BODY }                                                       \
        leave(out, start, __float_as_uint(x));                                                                         \
    }
PHASES(256, F256)
PHASES(512, F256 F256)
PHASES(1536, F256 F256 F256 F256 F256 F256)
