// How long instructions of the transcendental unit hold their source register: each is changed in place behind them.
#include "common.cuh"

// A guarded change has to be done in place: it waits until the register has been read, not for the result.
#define STEP(op, type, ytype, add, y)                                                                                  \
    asm volatile(op " %0, %1;" : "=" ytype(y) : type(x));                                                              \
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p " add "; }" : "+" type(x) : "r"(guard));
#define CHAIN(name, count, op, X, Y, type, ytype, add)                                                                 \
    KERNEL sources_##name##_##count(Record* out, int n, u32 guard) {                                                   \
        X x = threadIdx.x;                                                                                             \
        Y y[count];                                                                                                    \
        u32 sum = 0;                                                                                                   \
        __syncthreads();                                                                                               \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            _Pragma("unroll") for (int k = 0; k < count; k++) { STEP(op, type, ytype, add, y[k]) }                     \
            _Pragma("unroll") for (int k = 0; k < count; k++) sum ^= *(u32*)&y[k] & *(u32*)&x;                                \
        }                                                                                                              \
        leave(out, start, (u32)x + sum);                                                                               \
    }
#define BOTH(...) CHAIN_(4, __VA_ARGS__) CHAIN_(16, __VA_ARGS__)
#define CHAIN_(count, name, ...) CHAIN(name, count, __VA_ARGS__)
BOTH(ex2, "ex2.approx.ftz.f32", float, float, "f", "f", "add.f32 %0, %0, 0f3F800000")
BOTH(rsq, "rsqrt.approx.ftz.f32", float, float, "f", "f", "add.f32 %0, %0, 0f3F800000")
BOTH(popc, "popc.b32", u32, u32, "r", "r", "add.u32 %0, %0, 1")
BOTH(f2i, "cvt.rni.s32.f32", float, u32, "f", "r", "add.f32 %0, %0, 0f3F800000")
