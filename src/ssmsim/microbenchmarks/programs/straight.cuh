// Straight-line code in a loop, of a length that the name of the kernel gives.
#pragma once
#include "common.cuh"

// 4 independent chains; the name is the length in instructions of 16 bytes.
#define FOUR "fma.rn.f32 %0, %0, %4, %4; fma.rn.f32 %1, %1, %4, %4; fma.rn.f32 %2, %2, %4, %4; fma.rn.f32 %3, %3, %4, %4;"
#define CODE_FOR(n, a, REPEAT)                                                                                        \
    float w = a, x = a + threadIdx.x, y = a * threadIdx.x, z = a + 2 * threadIdx.x;                                   \
    u64 start = now();                                                                                                \
    _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                                 \
        asm volatile(REPEAT(FOUR) : "+f"(w), "+f"(x), "+f"(y), "+f"(z) : "f"(a));                                     \
    }                                                                                                                 \
    leave(out, start, (u32)(w + x + y + z));
#define CODE(name, REPEAT) KERNEL code_##name(Record* out, int n, float a) { CODE_FOR(n, a, REPEAT) }
#define TIMES32(x) TIMES16(x) TIMES16(x)
