// Warps of a sub-core that all go round the same line of instructions, which series.py writes over the FFMAs here.
#include "straight.cuh"
#define SERIES(name)                                                                                                   \
    KERNEL series_##name(Record* out, int n, float a) {                                                                \
        float w = a, x = a + threadIdx.x, y = a * threadIdx.x, z = a + 2 * threadIdx.x;                                \
        __syncthreads();                                                                                               \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++)                                                                \
            asm volatile(TIMES16(FOUR) : "+f"(w), "+f"(x), "+f"(y), "+f"(z) : "f"(a));                     \
        leave(out, start, (u32)(w + x + y + z));                                                                       \
    }
SERIES(alu1) SERIES(alu2) SERIES(alu2_yields) SERIES(alu4)
SERIES(special1) SERIES(special8) SERIES(special8_yields) SERIES(special8_twice)
