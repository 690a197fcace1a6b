// NANOSLEEP: cycles from one to the next, by the time that it names, in the instruction or in a register.
#include "common.cuh"

#define SLEEPS(T)                                                                                                     \
    KERNEL nanosleep_imm_##T(Record* out, int n) {                                                                    \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) asm volatile("nanosleep.u32 " #T ";" ::: "memory");           \
        leave(out, start, 0);                                                                                         \
    }
SLEEPS(0) SLEEPS(20) SLEEPS(40) SLEEPS(100) SLEEPS(250) SLEEPS(648) SLEEPS(1000) SLEEPS(1245) SLEEPS(4000) SLEEPS(20000)

KERNEL nanosleep_register(Record* out, int n, u32 time) {
    u64 start = now();
#pragma unroll 1
    for (int i = 0; i < n; i++) asm volatile("nanosleep.u32 %0;" ::"r"(time) : "memory");
    leave(out, start, 0);
}

// Samples: cycles of each of 64 sleeps, one behind the other.
KERNEL nanosleep_each(u32* out, u32 time) {
#pragma unroll 1
    for (int i = 0; i < 64; i++) {
        u64 t = now();
        asm volatile("nanosleep.u32 %0;" ::"r"(time) : "memory");
        u64 u = now();
        if (threadIdx.x % 32 == 0) out[(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 64 + i] = (u32)(u - t);
    }
}
