// Warps from 1 on copy or load on and note when each is issued, while an access of warp 0 is on its way to the host's memory, and 16 loads
// of each of `crowd` warps are. The first of two rounds warms instruction caches and the TLB.
#include "common.cuh"
extern __shared__ char pool[];
#define NOTES 44
#define CROWD 16
#define lane (threadIdx.x & 31)
#define ca4(o) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to4), "l"(a4 + (o)) : "memory");
#define hit4(o) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to4), "l"(hot) : "memory");
#define zero4(o) asm volatile("cp.async.ca.shared.global [%0], [%1], 4, 0;" :: "r"(to4), "l"(a4 + (o)) : "memory");
#define cg16(o) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to16), "l"(a16 + 4 * (o)) : "memory");
#define stg(o) asm volatile("st.global.u32 [%0], %1;" :: "l"(a4 + (o)), "r"(lane) : "memory");
#define hit(o) { u32 q; asm volatile("ld.global.u32 %0, [%1];" : "=r"(q) : "l"(hot) : "memory"); s ^= q; }
#define ldg(o) asm volatile("ld.global.u32 %0, [%1];" : "=r"(kept[((o) >> 7) % NOTES]) : "l"(a4 + (o)) : "memory");
#define none
#define far_ldg { u32 q; asm volatile("ld.global.u32 %0, [%1];" : "=r"(q) : "l"(c) : "memory"); s ^= q & 1; }
#define far_ca4 asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to4), "l"(c) : "memory");
#define far_cg16 asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to16), "l"(c + 12 * lane) : "memory");
#define far_atom { u32 q; asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(q) : "l"(c) : "memory"); s ^= q & 1; }
#define far_stg asm volatile("st.global.u32 [%0], %1;" :: "l"(c), "r"(lane) : "memory");

#define PLACES(name, near, far)                                                                                       \
    KERNEL __launch_bounds__(384) places_##name(Record* out, int n, char* base, char* host, u64* notes, u32 nears, u32 crowd, u32 before) { \
        u32 pool_at = (u32)__cvta_generic_to_shared(pool), to4 = pool_at + threadIdx.x * 4, to16 = pool_at + 2048 + threadIdx.x * 16; \
        u32 s = 0, w = threadIdx.x >> 5;                                                                              \
        char *a4 = base + w * 262144 + lane * 4, *a16 = a4 + lane * 12, *hot = base + (8 << 20) + lane * 4;           \
        u64 start = now(), t[NOTES];                                                                                  \
        u32 kept[NOTES] = {};                                                                                         \
        for (u32 k = 0; k < 64; k++) {                                                                                \
            u32 q;                                                                                                    \
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(q) : "l"(a4 + 124 * lane + k * 4096) : "memory"); \
            s ^= q;                                                                                                   \
        }                                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            char* c = host + (i * 12 + w) * 8192 + lane * 4;                                                          \
            u32 q, many[CROWD];                                                                                       \
            asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(q) : "l"(c + 8064) : "memory");                    \
            s ^= q;                                                                                                   \
            asm volatile("fence.acq_rel.gpu;" ::: "memory");                                                          \
            asm volatile("ld.global.u32 %0, [%1];" : "=r"(q) : "l"(hot) : "memory");                                  \
            s = (s ^ q) & 1;                                                                                          \
            asm volatile("" : "+r"(s) :: "memory");                                                                   \
            __syncthreads();                                                                                          \
            u64 begin = now();                                                                                        \
            if (w == 0) {                                                                                             \
                far                                                                                                   \
                asm volatile("" : "+r"(s) :: "memory");                                                               \
            } else if (crowd >> w & 1) {                                                                              \
                _Pragma("unroll") for (int k = 0; k < CROWD; k++)                                                     \
                    asm volatile("ld.global.u32 %0, [%1];" : "=r"(many[k]) : "l"(c + k * 256) : "memory");            \
                _Pragma("unroll") for (int k = 0; k < CROWD; k++) s ^= many[k] & 1;                                   \
            } else if (nears >> w & 1) {                                                                              \
                char* from = a4;                                                                                      \
                float f = 1.f;                                                                                        \
                _Pragma("unroll 1") for (u32 k = 0; k < 4; k++) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(f)); \
                s += (u32)f & 1;                                                                                      \
                _Pragma("unroll 1") for (u32 k = 0; k < before; k++) {                                                \
                    _Pragma("unroll") for (int j = 0; j < 8; j++) { near(j * 128) }                                   \
                    a4 += 1024;                                                                                       \
                    a16 += 4096;                                                                                      \
                }                                                                                                     \
                _Pragma("unroll") for (int k = 0; k < NOTES; k++) { near(k * 128) t[k] = now(); }                     \
                _Pragma("unroll") for (int k = 0; k < NOTES; k++) s ^= kept[k] & 1;                                   \
                a16 -= a4 - from + 3 * (a4 - from);                                                                   \
                a4 = from;                                                                                            \
            }                                                                                                         \
            asm volatile("cp.async.wait_all;" ::: "memory");                                                          \
            __syncthreads();                                                                                          \
            if (lane == 0) {                                                                                          \
                if (nears >> w & 1) _Pragma("unroll") for (int k = 0; k < NOTES; k++) notes[w * 64 + k] = t[k] - begin; \
            }                                                                                                         \
        }                                                                                                             \
        leave(out, start, s);                                                                                         \
    }
PLACES(ca4_none, ca4, none) PLACES(ca4_ldg, ca4, far_ldg) PLACES(ca4_ca4, ca4, far_ca4) PLACES(ca4_cg16, ca4, far_cg16)
PLACES(ca4_atom, ca4, far_atom) PLACES(ca4_stg, ca4, far_stg) PLACES(hit4_ldg, hit4, far_ldg) PLACES(zero4_ldg, zero4, far_ldg)
PLACES(cg16_ldg, cg16, far_ldg) PLACES(stg_ldg, stg, far_ldg) PLACES(hit_ldg, hit, far_ldg) PLACES(ldg_ldg, ldg, far_ldg) PLACES(ldg_none, ldg, none)
