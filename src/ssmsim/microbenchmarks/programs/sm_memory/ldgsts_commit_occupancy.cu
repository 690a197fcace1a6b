// LDGSTS in rows of sixteen, with and without LDGDEPBAR among them.
#include "common.cuh"
extern __shared__ u32 pool[];

#define CHAIN asm volatile("fma.rn.f64 %0, %0, %0, %0;" : "+d"(d));
#define COMMIT asm volatile("cp.async.commit_group;" ::: "memory");
#define COPY(kind, width, from) asm volatile("cp.async." kind ".shared.global [%0], [%1], " width ";" :: "r"(to), "l"(from) : "memory");
#define CA16(i) COPY("ca", "16", at + i * 512 + lane * 16)
#define CA4(i) COPY("ca", "4", at + i * 128 + lane * 4)
#define FOUR(i) COPY("ca", "4", at + i / 4 * 512 + lane * 16 + i % 4 * 4)
#define CG8(i) if (lane < 8) COPY("cg", "16", at + i * 128 + lane * 16)
#define ROW(copy, i, last) { u32 to = own + i * 512; copy(i) } last
#define FOURFOLD(copy, i, last) ROW(copy, i, ) ROW(copy, (i + 1), ) ROW(copy, (i + 2), ) ROW(copy, (i + 3), last)
#define ROWS(name, copy, WIDTH, SPREAD, between, among)                                                                \
    KERNEL commits_##name(Record* out, int n, const char* base, u32 mask, int count) {                                 \
        u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, offset = warp * count * WIDTH;                           \
        u32 own = (u32)__cvta_generic_to_shared(pool) + warp * 8192 + lane * SPREAD;                                   \
        double d = threadIdx.x;                                                                                        \
        __syncthreads();                                                                                               \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            const char* at = base + (offset & mask);                                                                   \
            __syncthreads();                                                                                           \
            _Pragma("unroll 1") for (int k = 0; k < count; k++) {                                                      \
                FOURFOLD(copy, 0, between) FOURFOLD(copy, 4, among) FOURFOLD(copy, 8, between) FOURFOLD(copy, 12, among) \
                at += WIDTH;                                                                                           \
            }                                                                                                          \
            TIMES64(CHAIN)                                                                                             \
            asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");                                \
            offset += blockDim.x / 32 * count * WIDTH;                                                                 \
        }                                                                                                              \
        leave(out, start, (u32)d + own);                                                                               \
    }
#define ALL(name, copy, WIDTH, SPREAD)                                                                                 \
    ROWS(name##_0, copy, WIDTH, SPREAD, , ) ROWS(name##_8, copy, WIDTH, SPREAD, , COMMIT) ROWS(name##_4, copy, WIDTH, SPREAD, COMMIT, COMMIT)
ALL(ca16, CA16, 8192, 16)
ALL(ca4, CA4, 2048, 4)
ALL(four, FOUR, 2048, 16)
ALL(flat, FOUR, 2048, 4)
ALL(cg8, CG8, 2048, 16)
