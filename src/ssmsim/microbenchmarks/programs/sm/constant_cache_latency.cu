// Constant memory: chase through LDC over a working set, and operands c[bank][offset] read straight in line.
#include "common.cuh"
__constant__ u32 table[16384];      // 64 KB; table[i] = byte offset of the next element

KERNEL ldc_chain(Record* out, int n, u32 first, int b) {
    u32 p = first;
    u64 start = now();
#pragma unroll 1
    for (int i = 0; i < n; i++) { TIMES16(p = *(const u32*)((const char*)table + p);) }
    leave(out, start, p);
}
// 64 operands, 64 bytes apart from `table`'s start (4 KB), or one and the same operand.
template <int STEP> __device__ __forceinline__ float operands(float x) {
#pragma unroll
    for (int k = 0; k < 64; k++) {
        float c = __uint_as_float(table[k * STEP]);
        asm volatile("add.f32 %0, %0, %1;" : "+f"(x) : "f"(c));
    }
    return x;
}
#define OPERANDS(STEP)                                                                                                \
    KERNEL operands_##STEP(Record* out, int n, float a, int b) {                                                      \
        float x = a + threadIdx.x;                                                                                    \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) x = operands<STEP>(x);                                        \
        leave(out, start, (u32)x);                                                                                    \
    }
OPERANDS(0) OPERANDS(1) OPERANDS(4) OPERANDS(8) OPERANDS(16) OPERANDS(32) OPERANDS(64)
