// Reads of special registers: alone, waited for, and between loads from shared memory or exponentials.
#include "common.cuh"
extern __shared__ char pool[];

// The compiler reads a register once where it cannot change, but this one each time; special.py puts others in its place.
#define any(k) asm volatile("mov.u32 %0, %%warpid;" : "=r"(w[k]));
#define tid(k) any(k)
#define ctaid(k) any(k)
#define laneid(k) any(k)
#define smid(k) any(k)
#define uniform(k) asm volatile("mov.u32 %0, %%smid;" : "=r"(w[k]));
#define lds128(k) asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[4 * (k & 3)]), "=r"(v[4 * (k & 3) + 1]), "=r"(v[4 * (k & 3) + 2]), "=r"(v[4 * (k & 3) + 3]) : "r"(own + (k & 3) * 8192) : "memory");
#define ex2(k) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f[k]));
#define none(k)

#define SPECIAL(A, B, E)                                                                                              \
    KERNEL special_##A##_##B##_##E(Record* out, int n, int a, float b) {                                              \
        u32 own = (u32)__cvta_generic_to_shared(pool) + threadIdx.x * 16, s = 0, v[16], w[8];                         \
        float f[8];                                                                                                   \
        _Pragma("unroll") for (int k = 0; k < 16; k++) v[k] = 0;                                                      \
        _Pragma("unroll") for (int k = 0; k < 8; k++) { w[k] = 0; f[k] = b + k + threadIdx.x; }                       \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            _Pragma("unroll") for (int k = 0; k < 8; k++) {                                                           \
                A(k)                                                                                                  \
                if (E && k % (8 / (E + !E)) == 0) { B(k) }                                                            \
            }                                                                                                         \
            _Pragma("unroll") for (int k = 0; k < 16; k++) s ^= v[k];                                                 \
            _Pragma("unroll") for (int k = 0; k < 8; k++) s ^= w[k];                                                  \
        }                                                                                                             \
        _Pragma("unroll") for (int k = 0; k < 8; k++) s += (u32)f[k];                                                 \
        leave(out, start, s);                                                                                         \
    }
#define WAITED(B)                                                                                                     \
    KERNEL special_wait_##B(Record* out, int n, int a, float b) {                                                     \
        u32 w[1];                                                                                                     \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) { TIMES16({B(0) if (w[0] == (u32)i + 100000u) return;}) }     \
        leave(out, start, 0);                                                                                         \
    }
#define ALL(B) WAITED(B) SPECIAL(none, B, 8) SPECIAL(lds128, B, 4) SPECIAL(lds128, B, 8) SPECIAL(ex2, B, 4) SPECIAL(ex2, B, 8)
ALL(tid)
ALL(ctaid)
ALL(laneid)
ALL(smid)
SPECIAL(none, uniform, 8)
SPECIAL(lds128, none, 0)
SPECIAL(ex2, none, 0)
