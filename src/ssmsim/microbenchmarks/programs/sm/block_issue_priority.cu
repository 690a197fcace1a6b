// Blocks of one loop on an SM: whose warps issue first where they meet at a pipe or at the issue slot.
#include "common.cuh"

extern __shared__ u32 pool[];

// The first `brief` blocks run a quarter of the rounds. The store comes after the end.
#define LOOP(name, ...)                                                              \
    KERNEL name(Record* out, int n, int brief) {                                     \
        u32 v[8], a = threadIdx.x | 1, b = threadIdx.x * 3 | 1;                      \
        float f[8], x = 0.9f, y = 0.1f + n;                                          \
        for (int i = 0; i < 8; i++) { v[i] = n + i * a; f[i] = v[i]; }               \
        int rounds = blockIdx.x < brief ? n >> 2 : n;                                \
        u32 at = (u32)__cvta_generic_to_shared(pool) + threadIdx.x * 4;              \
        u64 start = now();                                                           \
        _Pragma("unroll 1") for (int k = 0; k < rounds; k++) {                       \
            _Pragma("unroll") for (int i = 0; i < 32; i++) { __VA_ARGS__ }           \
        }                                                                            \
        u32 sink = a + b + at;                                                       \
        for (int i = 0; i < 8; i++) sink += v[i] + (u32)f[i];                        \
        leave(out, start, sink);                                                     \
    }
#define LOP3 asm volatile("lop3.b32 %0, %0, %1, %2, 0x1e;" : "+r"(v[i & 7]) : "r"(a), "r"(b));
#define FFMA asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(f[i & 7]) : "f"(x), "f"(y));
#define IMAD asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(v[i & 7]) : "r"(a), "r"(b));
#define EX2 asm volatile("ex2.approx.f32 %0, %0;" : "+f"(f[i & 7]));
#define STS asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(at), "r"(a) : "memory");
#define LDS asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[i & 7]) : "r"(at) : "memory"); if ((i & 7) == 7) { _Pragma("unroll") for (int j = 0; j < 8; j++) b += v[j]; }

LOOP(alu, LOP3)
LOOP(fp32, FFMA)
LOOP(heavy, IMAD)
LOOP(special, EX2)
LOOP(both, if (i & 1) { LOP3 } else { FFMA })
LOOP(store, STS)
LOOP(load, LDS)
