// How long the registers of memory instructions stay taken: K in a row, each from a register that is changed behind it.
#include "common.cuh"
extern __shared__ u32 pool[];

#define CHAIN asm volatile("fma.rn.f64 %0, %0, %0, %0;" : "+d"(d));
#define HAND(name, one, next)                                                                                          \
    KERNEL handover_##name(Record* out, int n, char* base, u32 mask, int count) {                                      \
        u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, at = warp * 16384;                                       \
        u32 to = (u32)__cvta_generic_to_shared(pool), wide = to + lane * 128, own = to + threadIdx.x * 16;             \
        double d = threadIdx.x;                                                                                        \
        __syncthreads();                                                                                               \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            char* from = base + (at & mask) + lane * 16;                                                               \
            u32 value = i;                                                                                             \
            __syncthreads();                                                                                           \
            _Pragma("unroll 1") for (int k = 0; k < count; k++) { one next }                                           \
            TIMES64(CHAIN)                                                                                             \
            asm volatile("cp.async.commit_group; cp.async.wait_group 1;" ::: "memory");                                \
            at += blockDim.x * 512;                                                                                    \
        }                                                                                                              \
        asm volatile("cp.async.wait_group 0;" ::: "memory");                                                           \
        leave(out, start, (u32)d + wide + own);                                                                        \
    }
#define VALUE asm volatile("add.u32 %0, %0, 1;" : "+r"(value));
#define FROM asm volatile("add.u64 %0, %0, 512;" : "+l"(from));
#define STS(kind, values) asm volatile("st.volatile.shared" kind " [%0], " values ";" :: "r"(wide), "r"(value) : "memory");
#define STG(kind, values) asm volatile("st.global" kind " [%0], " values ";" :: "l"(from), "r"(lane) : "memory");
#define COPY(kind, width) asm volatile("cp.async." kind ".shared.global [%0], [%1], " width ";" :: "r"(own), "l"(from) : "memory");
HAND(none, , VALUE)
HAND(sts, STS(".u32", "%1"), VALUE)
HAND(sts64, STS(".v2.u32", "{%1,%1}"), VALUE)
HAND(sts128, STS(".v4.u32", "{%1,%1,%1,%1}"), VALUE)
HAND(stg, STG(".u32", "%1"), FROM)
HAND(stg128, STG(".v4.u32", "{%1,%1,%1,%1}"), FROM)
HAND(cg16, COPY("cg", "16"), FROM)
HAND(ca4, COPY("ca", "4"), FROM)
