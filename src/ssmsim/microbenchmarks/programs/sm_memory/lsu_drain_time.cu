// Eight warps that keep the SM's unit for shared memory busy, and others that stop it: barriers, or fences of the block.
#include "common.cuh"
extern __shared__ u32 pool[];

// Warps below GROUP stop `stops` times a round; warps 8 to 15 access.
#define STOPS(name, GROUP, ACCESS, STOP)                                                                               \
    KERNEL stops_##name(Record* out, int n, int stops) {                                                              \
        u32 warp = threadIdx.x >> 5, v[16] = {}, s = 0;                                                                \
        u32 narrow = (u32)__cvta_generic_to_shared(pool) + (threadIdx.x & 31) * 4;                                     \
        u32 wide = narrow + (threadIdx.x & 31) * 12, bank = narrow + (threadIdx.x & 31) * 28;                          \
        if (warp >= GROUP && warp < 8) return;                                                                         \
        u64 start = now();                                                                                             \
        if (warp < GROUP) {                                                                                            \
            _Pragma("unroll 1") for (int i = 0; i < n * stops; i++) { STOP }                                           \
        } else {                                                                                                       \
            _Pragma("unroll 1") for (int i = 0; i < n; i++) { ACCESS }                                                 \
        }                                                                                                              \
        _Pragma("unroll") for (u32 one : v) s += one;                                                                  \
        leave(out, start, s + narrow + wide + bank);                                                                   \
    }
#define LDS(k, at) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[k]) : "r"(at) : "memory");
#define LDS128(k) asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];"                                        \
    : "=r"(v[4 * k]), "=r"(v[4 * k + 1]), "=r"(v[4 * k + 2]), "=r"(v[4 * k + 3]) : "r"(wide) : "memory");
#define EACH(x, at) x(0, at) x(1, at) x(2, at) x(3, at) x(4, at) x(5, at) x(6, at) x(7, at)                            \
    x(8, at) x(9, at) x(10, at) x(11, at) x(12, at) x(13, at) x(14, at) x(15, at)
#define ONE TIMES8(EACH(LDS, narrow))
#define FOUR TIMES8(LDS128(0) LDS128(1) LDS128(2) LDS128(3))
#define EIGHT EACH(LDS, bank)
#define BAR(threads) asm volatile("bar.sync 1, " #threads ";" ::: "memory");
#define MEMBAR asm volatile("fence.acq_rel.cta;" ::: "memory");
#define KINDS(name, ACCESS)                                                                                            \
    STOPS(name##_none, 0, ACCESS, ) STOPS(name##_bar_1, 1, ACCESS, BAR(32)) STOPS(name##_bar_4, 4, ACCESS, BAR(128))      \
    STOPS(name##_bar_8, 8, ACCESS, BAR(256)) STOPS(name##_membar_1, 1, ACCESS, MEMBAR) STOPS(name##_membar_4, 4, ACCESS, MEMBAR)
KINDS(one, ONE)
KINDS(four, FOUR)
KINDS(eight, EIGHT)
