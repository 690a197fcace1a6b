// Behind slow stores to shared memory: how long an instruction of each kind takes, from the same warp or from another.
#include "common.cuh"
extern __shared__ u32 pool[];

#define STORE asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(to), "r"(s) : "memory");
#define EX2 asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f));
#define FMUL asm volatile("mul.f32 %0, %0, %1;" : "+f"(f) : "f"(g));
#define POPC asm volatile("{.reg .u32 t; mov.b32 t, %0; popc.b32 t, t; mov.b32 %0, t;}" : "+f"(f));
#define I2F asm volatile("{.reg .s32 t; cvt.rni.s32.f32 t, %0; mov.b32 %0, t;}" : "+f"(f));
#define SHFL asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+f"(f));
#define LDS asm volatile("{.reg .u32 t; mov.b32 t, %0; and.b32 t, t, 0; add.u32 t, t, %1; ld.volatile.shared.f32 %0, [t];}" : "+f"(f) : "r"(from) : "memory");
#define HEAD                                                                                                          \
    u32 lane = threadIdx.x & 31, s = threadIdx.x, pool_at = (u32)__cvta_generic_to_shared(pool);                      \
    u32 to = pool_at + lane * 128, from = pool_at + 16384 + lane * 4;                                                 \
    float f = 1.f + lane, g = 1.0001f;

#define BEFORE(name, X, K, stores)                                                                                    \
    KERNEL before_##name##_##K(Record* out, int n, char* base) {                                                      \
        HEAD                                                                                                          \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) { stores X TIMES64(FMUL) TIMES64(FMUL) }                      \
        leave(out, start, (u32)f + from);                                                                             \
    }
#define OTHER(name, X)                                                                                                \
    KERNEL other_##name(Record* out, int n, char* base, int which, int stores) {                                      \
        HEAD                                                                                                          \
        u32 warp = threadIdx.x >> 5;                                                                                  \
        __syncthreads();                                                                                              \
        if (warp == 0) {                                                                                              \
            _Pragma("unroll 1") for (int i = 0; i < n * stores; i++) { STORE }                                        \
        } else if (warp == which) {                                                                                   \
            u64 start = now();                                                                                        \
            _Pragma("unroll 1") for (int i = 0; i < n; i++) { TIMES16(X) }                                            \
            leave(out, start, (u32)f + from);                                                                         \
        }                                                                                                             \
    }
#define KIND(name, X)                                                                                                 \
    BEFORE(name, X, 0, ) BEFORE(name, X, 1, STORE) BEFORE(name, X, 2, TWICE(STORE)) BEFORE(name, X, 4, TIMES4(STORE))  \
    BEFORE(name, X, 8, TIMES8(STORE)) OTHER(name, X)
KIND(ex2, EX2) KIND(popc, POPC) KIND(i2f, I2F) KIND(shfl, SHFL) KIND(lds, LDS) KIND(fmul, FMUL)
