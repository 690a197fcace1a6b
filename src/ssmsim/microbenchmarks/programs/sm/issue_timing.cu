// A loop around FFMAs that timeline.py replaces: each has a register of its own, and the first two leave the loop alone.
#include "common.cuh"
#define REGISTERS 192

KERNEL timeline(Record* out, int n, float a) {
    float f[REGISTERS];
#pragma unroll
    for (int j = 0; j < REGISTERS; j++) {
        f[j] = a * j;
        asm volatile("" : "+f"(f[j]));
    }
    u32 clock;  // its instruction is the pattern for the clock reads
    asm volatile("mov.u32 %0, %%clock;" : "=r"(clock));
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < REGISTERS; k++)
            asm volatile("fma.rn.ftz.f32 %0, %0, %1, %2;"
                         : "+f"(f[k]) : "f"(f[(k + 1) % REGISTERS]), "f"(f[(k + 2) % REGISTERS]));
    }
    float sum = 0;
#pragma unroll
    for (int j = 2; j < REGISTERS; j++) sum += f[j];
    if ((threadIdx.x & 31) == 0) {
        Record r = {__float_as_uint(f[0]), __float_as_uint(f[1]), 0, clock, __float_as_uint(sum)};
        out[threadIdx.x >> 5] = r;
    }
}
