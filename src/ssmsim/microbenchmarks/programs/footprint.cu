// Straight-line code in a loop, of lengths around what the SM's instruction cache holds: how many lines a set has.
#include "common.cuh"

// 4 independent chains; the name is the length in instructions of 16 bytes.
#define FOUR "fma.rn.f32 %0, %0, %4, %4; fma.rn.f32 %1, %1, %4, %4; fma.rn.f32 %2, %2, %4, %4; fma.rn.f32 %3, %3, %4, %4;"
#define CODE(name, REPEAT)                                                                                            \
    KERNEL code_##name(Record* out, int n, float a) {                                                                 \
        float w = a, x = a + threadIdx.x, y = a * threadIdx.x, z = a + 2 * threadIdx.x;                               \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            asm volatile(REPEAT(FOUR) : "+f"(w), "+f"(x), "+f"(y), "+f"(z) : "f"(a));                                 \
        }                                                                                                             \
        leave(out, start, (u32)(w + x + y + z));                                                                      \
    }
#define TIMES32(x) TIMES16(x) TIMES16(x)
#define TIMES448(x) TIMES64(x) TIMES64(x) TIMES64(x) TIMES64(x) TIMES64(x) TIMES64(x) TIMES64(x)
#define TIMES480(x) TIMES448(x) TIMES32(x)
#define TIMES496(x) TIMES480(x) TIMES16(x)
#define TIMES512(x) TIMES448(x) TIMES64(x)
#define TIMES528(x) TIMES512(x) TIMES16(x)
#define TIMES544(x) TIMES512(x) TIMES32(x)
#define TIMES576(x) TIMES512(x) TIMES64(x)
#define TIMES608(x) TIMES576(x) TIMES32(x)
#define TIMES640(x) TIMES576(x) TIMES64(x)
#define TIMES768(x) TIMES640(x) TIMES64(x) TIMES64(x)
CODE(1792, TIMES448) CODE(1920, TIMES480) CODE(1984, TIMES496) CODE(2048, TIMES512) CODE(2112, TIMES528)
CODE(2176, TIMES544) CODE(2304, TIMES576) CODE(2432, TIMES608) CODE(2560, TIMES640) CODE(3072, TIMES768)
