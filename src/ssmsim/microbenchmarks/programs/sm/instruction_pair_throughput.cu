// Two kinds of instruction side by side: which of them share a pipe, an issue port or a dispatch port.
#include "common.cuh"

// 64 pairs or groups per iteration; f: float chains, k: int chains, all independent of one another within 8
#define MIX(name, ...)                                                                                                \
    KERNEL mix_##name(Record* out, int n, float a, int b) {                                                           \
        float f[8], fp = a + threadIdx.x, fq = a * threadIdx.x + 1.f;                                                 \
        int k[8], p = b + threadIdx.x * 3, q = b * threadIdx.x + 7;                                                   \
        _Pragma("unroll") for (int j = 0; j < 8; j++) { f[j] = a + j + threadIdx.x; k[j] = b + j + threadIdx.x; }      \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            _Pragma("unroll") for (int j = 0; j < 32; j++) { float& x = f[j & 7]; int& y = k[j & 7]; __VA_ARGS__ }    \
        }                                                                                                             \
        float s = 0; int t = 0;                                                                                       \
        _Pragma("unroll") for (int j = 0; j < 8; j++) { s += f[j]; t += k[j]; }                                       \
        leave(out, start, (u32)s + t);                                                                                \
    }
#define FFMA asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(fp), "f"(fq));
#define FADD asm volatile("add.f32 %0, %0, %1;" : "+f"(x) : "f"(fp));
#define FMUL asm volatile("mul.f32 %0, %0, %1;" : "+f"(x) : "f"(fp));
#define LOP3 asm volatile("lop3.b32 %0, %0, %1, %2, 0xe8;" : "+r"(y) : "r"(p), "r"(q));
#define IADD3 asm volatile("{.reg .s32 t; add.s32 t, %0, %1; add.s32 %0, t, %2;}" : "+r"(y) : "r"(p), "r"(q));
#define IMAD asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(y) : "r"(p), "r"(q));
#define SHF asm volatile("shf.l.wrap.b32 %0, %0, %1, %2;" : "+r"(y) : "r"(p), "r"(q));
#define HFMA2 asm volatile("fma.rn.bf16x2 %0, %0, %1, %2;" : "+r"(y) : "r"(p), "r"(q));
#define EX2 asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
#define SHFL asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(y));
#define F2FP asm volatile("{.reg .f32 s, t; mov.b32 s, %0; mov.b32 t, %1; cvt.rn.bf16x2.f32 %0, s, t;}" : "+r"(y) : "r"(p));

MIX(ffma_ffma, FFMA FFMA)
MIX(ffma_lop3, FFMA LOP3)
MIX(ffma_iadd3, FFMA IADD3)
MIX(ffma_imad, FFMA IMAD)
MIX(ffma_hfma2, FFMA HFMA2)
MIX(imad_lop3, IMAD LOP3)
MIX(imad_hfma2, IMAD HFMA2)
MIX(lop3_shf, LOP3 SHF)
MIX(lop3_f2fp, LOP3 F2FP)
MIX(ffma2_lop3, FFMA FFMA LOP3)
MIX(ffma4_ex2, FFMA FFMA FFMA FFMA EX2)
MIX(ffma8_ex2, FFMA FFMA FFMA FFMA FFMA FFMA FFMA FFMA EX2)
MIX(lop3_4_ex2, LOP3 LOP3 LOP3 LOP3 EX2)
MIX(ex2_shfl, EX2 SHFL)
MIX(ffma_shfl, FFMA SHFL)

// A loop with the least body: counter, compare, branch.
KERNEL loop(Record* out, int n, float a, float b) {
    float x = a + threadIdx.x;
    __syncthreads();
    u64 start = now();
    _Pragma("unroll 1") for (int i = 0; i < n; i++) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
    leave(out, start, (u32)x);
}
// 16 guarded bodies of 16 instructions per iteration: the guarded body is run by every lane (selector 0), none (1) or half of them (2).
KERNEL branches(Record* out, int n, int selector, float b) {
    float x = b + threadIdx.x;
    bool away = selector == 0 || (selector == 2 && (threadIdx.x & 1));
    __syncthreads();
    u64 start = now();
    _Pragma("unroll 1") for (int i = 0; i < n; i++) {
        TIMES16(if (away) { TIMES16(asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(b));) }
                asm volatile("add.f32 %0, %0, %1;" : "+f"(x) : "f"(b));)
    }
    leave(out, start, (u32)x);
}
// Back-to-back reads of the clock.
KERNEL clocks(Record* out, int n, int a, int b) {
    u64 start = now(), s = 0;
    _Pragma("unroll 1") for (int i = 0; i < n; i++) { TIMES16(s ^= now();) }
    leave(out, start, (u32)s);
}
// Special registers: 16 reads of %smid, each consumed.
KERNEL special(Record* out, int n, int a, int b) {
    u32 s = threadIdx.x;
    u64 start = now();
    _Pragma("unroll 1") for (int i = 0; i < n; i++) { TIMES16(s ^= sm();) }
    leave(out, start, s);
}
// Latency of a special register, by a branch on its value; and the same branch on a register.
KERNEL special_wait(Record* out, int n, int a, int b) {
    u64 start = now();
    _Pragma("unroll 1") for (int i = 0; i < n; i++) { TIMES16({u32 s = sm(); if (s == (u32)i + 100000u) return;}) }
    leave(out, start, 0);
}
KERNEL register_wait(Record* out, int n, int a, int b) {
    u32 s = threadIdx.x;
    u64 start = now();
    _Pragma("unroll 1") for (int i = 0; i < n; i++) {
        TIMES16({asm volatile("lop3.b32 %0, %0, %1, %2, 0xe8;" : "+r"(s) : "r"(a), "r"(b)); if (s == (u32)i + 100000u) return;})
    }
    leave(out, start, s);
}
