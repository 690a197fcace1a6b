// One instruction per kernel: a chain of 64 dependent ones (latency) and 8 independent chains (rate).
#include "common.cuh"

#define OP(name, T, c, body)                                                                                          \
    KERNEL name##_chain(Record* out, int n, T a, T b) {                                                               \
        T x = a + (T)threadIdx.x, p = a + (T)(threadIdx.x * 3 + 1), q = b + (T)(threadIdx.x * 5 + 2);                  \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) { TIMES64(asm volatile(body : "+" c(x) : c(p), c(q));) }      \
        leave(out, start, (u32)x);                                                                                    \
    }                                                                                                                 \
    KERNEL name##_rate(Record* out, int n, T a, T b) {                                                                \
        T x[8], p = a + (T)(threadIdx.x * 3 + 1), q = b + (T)(threadIdx.x * 5 + 2);                                   \
        _Pragma("unroll") for (int k = 0; k < 8; k++) x[k] = a + (T)(threadIdx.x + k);                                \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            TIMES8(asm volatile(body : "+" c(x[0]) : c(p), c(q)); asm volatile(body : "+" c(x[1]) : c(p), c(q));      \
                   asm volatile(body : "+" c(x[2]) : c(p), c(q)); asm volatile(body : "+" c(x[3]) : c(p), c(q));      \
                   asm volatile(body : "+" c(x[4]) : c(p), c(q)); asm volatile(body : "+" c(x[5]) : c(p), c(q));      \
                   asm volatile(body : "+" c(x[6]) : c(p), c(q)); asm volatile(body : "+" c(x[7]) : c(p), c(q));)     \
        }                                                                                                             \
        T s = x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];                                                   \
        leave(out, start, (u32)s);                                                                                    \
    }

OP(ffma, float, "f", "fma.rn.f32 %0, %0, %1, %2;")
OP(fadd, float, "f", "add.f32 %0, %0, %1;")
OP(fmul, float, "f", "mul.f32 %0, %0, %1;")
OP(fmnmx, float, "f", "{.reg .f32 t; max.f32 t, %0, %1; min.f32 %0, t, %2;}")                  // 2 FMNMX
OP(fsetp, float, "f", "{.reg .pred p; setp.gt.f32 p, %0, %1; selp.f32 %0, %1, %2, p;}")         // FSETP, FSEL
OP(isetp, int, "r", "{.reg .pred p; setp.gt.s32 p, %0, %1; selp.b32 %0, %1, %2, p;}")           // ISETP, SEL
OP(imad, int, "r", "mad.lo.s32 %0, %0, %1, %2;")
OP(imad_hi, int, "r", "mad.hi.u32 %0, %0, %1, %2;")
OP(imad_wide, u64, "l", "{.reg .u32 s, t; mov.b64 {s, t}, %0; mul.wide.u32 %0, s, t;}")
OP(iadd3, int, "r", "{.reg .s32 t; add.s32 t, %0, %1; add.s32 %0, t, %2;}")
OP(lop3, int, "r", "lop3.b32 %0, %0, %1, %2, 0xe8;")
OP(shf, int, "r", "shf.l.wrap.b32 %0, %0, %1, %2;")
OP(prmt, int, "r", "prmt.b32 %0, %0, %1, %2;")
OP(vimnmx, int, "r", "{.reg .s32 t; max.s32 t, %0, %1; min.s32 %0, t, %2;}")
OP(popc, int, "r", "popc.b32 %0, %0;")
OP(flo, int, "r", "bfind.u32 %0, %0;")
OP(brev, int, "r", "{.reg .b32 t; brev.b32 t, %0; add.s32 %0, t, %1;}")                           // BREV, IADD
OP(mufu_ex2, float, "f", "ex2.approx.ftz.f32 %0, %0;")
OP(mufu_rcp, float, "f", "{.reg .f32 t; rcp.approx.ftz.f32 t, %0; add.f32 %0, t, %1;}")                          // MUFU, FADD
OP(mufu_rsq, float, "f", "rsqrt.approx.ftz.f32 %0, %0;")
OP(mufu_lg2, float, "f", "lg2.approx.ftz.f32 %0, %0;")
OP(mufu_tanh, float, "f", "tanh.approx.f32 %0, %0;")
OP(i2fp, int, "r", "{.reg .f32 t; cvt.rn.f32.s32 t, %0; mov.b32 %0, t;}")
OP(f2i, int, "r", "{.reg .f32 t; mov.b32 t, %0; cvt.rzi.ftz.s32.f32 %0, t;}")
OP(frnd, float, "f", "cvt.rpi.ftz.f32.f32 %0, %0;")
OP(f2fp_bf16, int, "r", "{.reg .f32 s, t; mov.b32 s, %0; mov.b32 t, %1; cvt.rn.bf16x2.f32 %0, s, t;}")
OP(f2f_f64, double, "d", "{.reg .f32 t; cvt.rn.f32.f64 t, %0; cvt.f64.f32 %0, t;}")              // F2F twice
OP(hfma2_bf16, int, "r", "fma.rn.bf16x2 %0, %0, %1, %2;")
OP(hfma2, int, "r", "fma.rn.f16x2 %0, %0, %1, %2;")
OP(hadd2, int, "r", "add.rn.f16x2 %0, %0, %1;")
OP(dfma, double, "d", "fma.rn.f64 %0, %0, %1, %2;")
OP(dadd, double, "d", "add.rn.f64 %0, %0, %1;")
OP(shfl_bfly, int, "r", "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;")
OP(shfl_up, int, "r", "{.reg .pred p; shfl.sync.up.b32 %0|p, %0, 1, 0, -1;}")
OP(shfl_idx, int, "r", "shfl.sync.idx.b32 %0, %0, %1, 31, -1;")
OP(vote, int, "r", "{.reg .pred p; setp.ne.s32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1;}")      // ISETP, VOTE
OP(redux, int, "r", "redux.sync.add.s32 %0, %0, -1;")
