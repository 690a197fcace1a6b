// Loads from shared memory one after the other by all warps, each of which now and then stores many lines at once.
#include "sweep.cuh"
extern __shared__ u32 pool[];

#define CHAIN { u32 l; asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(l) : "r"(own + a) : "memory"); a = l; }
#define STG(k) asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" :: "l"(to + k * 512), "r"(a) : "memory");
#define COPY(kind, width, to, from) \
    asm volatile("cp.async." kind ".shared.global [%0], [%1], " width "; cp.async.commit_group; cp.async.wait_group 6;" \
                 :: "r"(to), "l"(from) : "memory");
#define CG16 COPY("cg", "16", into + lane * 16 + (j & 7) * 512, from + lane * 16)
#define CA16 COPY("ca", "16", into + lane * 16 + (j & 7) * 512, from + lane * 16)
#define CA4 COPY("ca", "4", into + lane * 4 + (j & 7) * 128, from + lane * 4)
#define CA4_ALL COPY("ca", "4", into + lane * 4 + (j & 7) * 128, others + ((ahead - (u64)warp * 512) & mask) + (lane & 7) * 4)
#define NONE
// n rounds of `period` parts: 32 loads each, and in one of them `S` stores of 512 bytes; a quarter of the warps a quarter
// of a round after the one before.
#define EPILOGUE(name, S, beside)                                                                                      \
    KERNEL epilogue_##name##_##S(Record* out, int n, char* base, char* others, u64 mask, int period) {     \
        u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x / 32, a = 0;                          \
        u32 into = (u32)__cvta_generic_to_shared(pool) + 4096 + warp * 4096, own = into - 4096 - warp * 4096 + lane * 4;         \
        u64 at = ((u64)blockIdx.x * warps + warp) * S * 512, ahead = ((u64)blockIdx.x * warps + warp) * 512;           \
        int turn = (warp * 4 / warps * (period / 4)) % period;                                    \
        if (warp == 0) pool[lane] = 0;                                                                                 \
        __syncthreads();                                                                                               \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            _Pragma("unroll 1") for (int j = 0; j < period; j++) {                                                     \
                if (j == turn) {                                                                                       \
                    char* to = base + (at & mask) + lane * 16;                                                         \
                    _Pragma("unroll") for (int k = 0; k < S; k++) STG(k)                                               \
                    at += (u64)gridDim.x * warps * S * 512;                                                            \
                }                                                                                                      \
                char* from = others + (ahead & mask);                                                      \
                beside                                                                                                 \
                ahead += (u64)gridDim.x * warps * 512;                                                                 \
                TIMES16(TWICE(CHAIN))                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
        asm volatile("cp.async.wait_group 0;" ::: "memory");                                                           \
        leave(out, start, a);                                                                                          \
    }
#define KINDS(S) EPILOGUE(alone, S, NONE) EPILOGUE(cg16, S, CG16) EPILOGUE(ca16, S, CA16) EPILOGUE(ca4, S, CA4) EPILOGUE(ca4_all, S, CA4_ALL)
KINDS(0) KINDS(4) KINDS(16)
