// L1: pointer chase over a working set, and cycles per warp load by width and by lane stride when all loads hit.
#include "memory.cuh"

// p[i] holds the address of the next element; `first` is touched once through before the clock starts.
KERNEL chase(Record* out, int n, u64* first, int warm) {
    u64* p = first;
    for (int i = 0; i < warm; i++) asm volatile("ld.global.u64 %0, [%0];" : "+l"(p));
    u64 start = now();
    _Pragma("unroll 1") for (int i = 0; i < n; i++) { TIMES16(asm volatile("ld.global.u64 %0, [%0];" : "+l"(p));) }
    leave(out, start, (u32)(u64)p);
}
// Local memory: the array's index is data, so that it cannot live in registers.
KERNEL local_chase(Record* out, int n, int bytes, int step) {
    int next[1024];
    for (int i = 0; i < 1024; i++) next[i] = (i + step) & 1023;
    int k = threadIdx.x & 3;
    u64 start = now();
    _Pragma("unroll 1") for (int i = 0; i < n; i++) { TIMES16(k = next[k];) }
    leave(out, start, k);
}

// 16 loads per iteration from 16 addresses STEP bytes apart; lanes `stride` bytes apart; footprint fits L1.
#define RATE(name, T, STEP)                                                                                          \
    KERNEL name(Record* out, int n, char* base, int stride, int zero)           {                                     \
        u32 s = 0;                                                                                                    \
        char* p = base + (threadIdx.x & 31) * stride;                                                                 \
        _Pragma("unroll") for (int k = 0; k < 16; k++) s ^= load_global(T(), p + k * STEP);                           \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            _Pragma("unroll") for (int k = 0; k < 16; k++) s ^= load_global(T(), p + k * STEP);                       \
            p += zero;                                                                                                \
        }                                                                                                             \
        leave(out, start, s);                                                                                         \
    }
RATE(ldg32, W1, 512)
RATE(ldg64, W2, 512)
RATE(ldg128, W4, 512)
RATE(ldg32_far, W1, 4096)
RATE(ldg128_far, W4, 4096)

// Outstanding misses: each warp loads K lines of its own that are in L2 but not in L1, then waits for all of them.
#define MISSES(K)                                                                                                     \
    KERNEL misses_##K(Record* out, int n, char* base, int stride, int region) {                                       \
        u32 s = 0, warp = threadIdx.x >> 5, at = warp * K * 128;                                                      \
        char* mine = base + (u64)blockIdx.x * region + (threadIdx.x & 31) * stride;                                   \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            u32 v[K];                                                                                                 \
            _Pragma("unroll") for (int k = 0; k < K; k++) v[k] = load_l2(W1(), mine + at + k * 128);                  \
            _Pragma("unroll") for (int k = 0; k < K; k++) s ^= v[k];                                                  \
            at = (at + blockDim.x * 4 * K + s) & (region - 1);                                                        \
        }                                                                                                             \
        leave(out, start, s);                                                                                         \
    }
MISSES(1) MISSES(2) MISSES(4) MISSES(8) MISSES(16) MISSES(32)
