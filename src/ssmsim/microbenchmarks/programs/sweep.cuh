// A read of memory that no measurement uses: afterwards the L2 holds clean lines of it alone.
#pragma once
#include "common.cuh"

KERNEL sweep(u32* sink, const char* base, u64 bytes) {
    u64 step = (u64)gridDim.x * blockDim.x * 16;
    u32 s = 0;
    for (u64 at = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * 16; at < bytes; at += step) {
        u32 a, b, c, d;
        asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(base + at));
        s ^= a ^ b ^ c ^ d;
    }
    if (s == 0x9e3779b9u) *sink = s;
}
