// Warps 0 to 3 issue 20 loads in a row; warps 4 to 11 load from shared memory meanwhile, as fast as they can or each address from
// what came before, and note when. The first of two rounds warms instruction caches and the TLB. STORED: what comes is stored.
#include "common.cuh"
extern __shared__ char pool[];
#define LOADS 20
#define NOTES 60   // of each warp that loads from shared memory; 48 more without, until the last data are there
#define clock(x) x = now();
#define lds128(v) asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(own) : "memory");
#define sts128(v, k) asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%2,%3,%4};" :: "r"(own + 32768 + (k & 3) * 8192), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]) : "memory");
#define use(v) asm volatile("xor.b32 %0, %0, %1;" : "+r"(s) : "r"(v[0]) : "memory");
#define four(v, how) asm volatile("ld." how "global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "l"(a) : "memory");
#define narrow(v) v[0] = v[1] = v[2] = v[3] = 0;
#define ldg128(v) four(v, "")
#define cg128(v) four(v, "relaxed.gpu.")
#define ldg64(v) narrow(v) asm volatile("ld.global.v2.u32 {%0,%1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "l"(a) : "memory");
#define ldg32(v) narrow(v) asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[0]) : "l"(a) : "memory");
#define lane (threadIdx.x & 31)

#define BURST(name, load, place, STORED)                                                                              \
    KERNEL __launch_bounds__(384) bursts_##name(Record* out, int n, char* base, u64* notes, u32 probers, u32 bursters, u32 gap, u32 chain) { \
        u32 own = (u32)__cvta_generic_to_shared(pool) + threadIdx.x * 16, s = 0, w = threadIdx.x >> 5;                \
        for (u32 i = threadIdx.x * 4; i < 32768; i += blockDim.x * 4) *(u32*)(pool + i) = 0;                          \
        float f = 1.f + threadIdx.x;                                                                                  \
        u64 start = now();                                                                                            \
        if (!((probers | bursters) >> w & 1)) return;                                                                 \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            __syncthreads();                                                                                          \
            if (probers >> w & 1) {                                                                                   \
                u64 t[NOTES];                                                                                         \
                u32 v[2][4], at = own;                                                                                \
                if (chain) {                                                                                          \
                    _Pragma("unroll") for (int k = 0; k < NOTES; k++) {                                               \
                        asm volatile("{.reg .u32 q; ld.volatile.shared.u32 q, [%0]; add.u32 %0, %0, q;}" : "+r"(at) :: "memory"); \
                        clock(t[k])                                                                                   \
                    }                                                                                                 \
                    s += at;                                                                                          \
                } else {                                                                                              \
                    lds128(v[0]) lds128(v[1])                                                                         \
                    _Pragma("unroll") for (int k = 0; k < NOTES; k++) { use(v[k & 1]) lds128(v[k & 1]) clock(t[k]) }  \
                    _Pragma("unroll 2") for (int k = 0; k < 48; k++) { use(v[k & 1]) lds128(v[k & 1]) }               \
                    s += v[0][1] + v[1][1];                                                                           \
                }                                                                                                     \
                __syncthreads();                                                                                      \
                if (lane == 0) _Pragma("unroll") for (int k = 0; k < NOTES; k++) notes[w * 64 + k] = t[k];            \
            } else {                                                                                                  \
                u32 v[LOADS][4];                                                                                      \
                u64 t[3];                                                                                             \
                _Pragma("unroll 1") for (u32 k = 0; k < gap; k++) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(f)); \
                char* from = base + (i ? 0 : 524288) + (u64)w * (LOADS * 512) + (place) + (f == 0.123f);              \
                asm volatile("" : "+l"(from) :: "memory");                                                            \
                clock(t[0])                                                                                           \
                _Pragma("unroll") for (int k = 0; k < LOADS; k++) { char* a = from + k * 512; load(v[k]) }            \
                clock(t[1])                                                                                           \
                _Pragma("unroll") for (int k = 0; k < LOADS; k++) { use(v[k]) if (STORED) { sts128(v[k], k) } }       \
                clock(t[2])                                                                                           \
                __syncthreads();                                                                                      \
                if (lane == 0) for (int k = 0; k < 3; k++) notes[w * 64 + k] = t[k];                                  \
            }                                                                                                         \
        }                                                                                                             \
        leave(out, start, s + (u32)f);                                                                                \
    }
BURST(ldg128, ldg128, lane * 16, 0)
BURST(cg128, cg128, lane * 16, 0)
BURST(ldg64, ldg64, lane * 8, 0)
BURST(ldg32, ldg32, lane * 4, 0)
BURST(rows32, ldg32, (lane >> 3) * 128 + (lane & 7) * 4, 0)
BURST(line128, ldg128, (lane & 7) * 16, 0)
BURST(stored, ldg128, lane * 16, 1)
