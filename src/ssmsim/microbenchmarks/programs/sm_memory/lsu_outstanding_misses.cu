// How long a load from shared memory takes behind K copies or loads whose data are far away.
#include "sweep.cuh"
extern __shared__ u32 pool[];

#define MUL asm volatile("mul.f32 %0, %0, %1;" : "+f"(f) : "f"(1.0001f));
#define BEHIND(name, K, far)                                                                                           \
    KERNEL behind_##name##_##K(Record* out, int n, char* base, u32 mask, u32 bytes) {                                  \
        u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, s = 0, at = warp * 12288, v[4 * K] = {};                        \
        u32 own = (u32)__cvta_generic_to_shared(pool) + warp * 12288 % (bytes - 12288), to = own + lane * 16;            \
        u32 word = own + lane * 4;                                                                                     \
        float f = 1.f + lane;                                                                                          \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            char* from = base + (at & mask) + lane * 16;                                                               \
            char* words = base + (at & mask) + lane * 4;                                                               \
            char* all = base + ((at - warp * 12288) & mask) + (lane & 7) * 4;                                          \
            __syncthreads();                                                                                           \
            _Pragma("unroll") for (int k = 0; k < K; k++) { far }                                                      \
            float l; asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(l) : "r"(to) : "memory");                  \
            f += l;                                                                                                    \
            _Pragma("unroll 1") for (int j = 0; j < 5; j++) { TIMES64(MUL) }                                           \
            _Pragma("unroll") for (int k = 0; k < 4 * K; k++) s ^= v[k];                                               \
            asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");                                \
            at += blockDim.x / 32 * 12288;                                                                             \
        }                                                                                                              \
        leave(out, start, s + (u32)f);                                                                                 \
    }
#define COPY(kind, width, to, from) \
    asm volatile("cp.async." kind ".shared.global [%0], [%1], " width ";" :: "r"(to + k * 512), "l"(from) : "memory");
#define NONE
#define CG16 COPY("cg", "16", to, from + k * 512)
#define CA16 COPY("ca", "16", to, from + k * 512)
#define CA4 COPY("ca", "4", word, words + k * 512)
#define CA4_ALL COPY("ca", "4", word, all + (k / 4 * 512 + k % 4 * 32))
#define MIX if (k % 2) { COPY("ca", "4", word, all + (k / 8 * 512 + k / 2 % 4 * 32)) } else { CG16 }
#define LDG asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[k]) : "l"(words + k * 512) : "memory");
#define LDG128 asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];" \
    : "=r"(v[4 * k]), "=r"(v[4 * k + 1]), "=r"(v[4 * k + 2]), "=r"(v[4 * k + 3]) : "l"(from + k * 512) : "memory");
#define UP_TO_12(M) M(4) M(8) M(12)
#define UP_TO_24(M) UP_TO_12(M) M(13) M(14) M(15) M(16) M(24)
#define NONE_K(K) BEHIND(none, K, NONE)
#define CG16_K(K) BEHIND(cg16, K, CG16)
#define CA16_K(K) BEHIND(ca16, K, CA16)
#define CA4_K(K) BEHIND(ca4, K, CA4)
#define CA4_ALL_K(K) BEHIND(ca4_all, K, CA4_ALL)
#define MIX_K(K) BEHIND(mix, K, MIX)
#define LDG_K(K) BEHIND(ldg, K, LDG)
#define LDG128_K(K) BEHIND(ldg128, K, LDG128)
NONE_K(1) UP_TO_24(CG16_K) UP_TO_24(CA16_K) UP_TO_24(CA4_K) UP_TO_24(CA4_ALL_K) UP_TO_24(MIX_K) UP_TO_24(LDG_K) UP_TO_12(LDG128_K)
