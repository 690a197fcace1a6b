// Local memory: words of every thread that its warp stores and loads again, all lanes of a word in one line.
#include "common.cuh"

__device__ __forceinline__ void store_local(u32 at, u32 v) { asm volatile("st.local.u32 [%0], %1;" :: "r"(at), "r"(v) : "memory"); }
__device__ __forceinline__ u32 load_local(u32 at) { u32 v; asm volatile("ld.local.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory"); return v; }
__device__ __forceinline__ u32 address(void* p) { u64 at; asm("cvta.to.local.u64 %0, %1;" : "=l"(at) : "l"(p)); return (u32)at; }

// Per round each warp writes WORDS words if WRITES, then reads them READS times over.
#define LOCAL(name, WORDS, WRITES, READS)                                                                             \
    KERNEL local_##name(Record* out, int n) {                                                                         \
        u32 words[WORDS], sum = threadIdx.x, at = address(words);                                                     \
        _Pragma("unroll 1") for (int k = 0; k < WORDS; k++) store_local(at + 4 * k, k);                               \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            if (WRITES) { _Pragma("unroll") for (int k = 0; k < WORDS; k++) store_local(at + 4 * k, sum + k); }        \
            _Pragma("unroll 1") for (int r = 0; r < READS; r++)                                                       \
                _Pragma("unroll") for (int k = 0; k < WORDS; k++) sum ^= load_local(at + 4 * k);                      \
        }                                                                                                             \
        leave(out, start, sum);                                                                                       \
    }
LOCAL(store16, 16, 1, 0)
LOCAL(store64, 64, 1, 0)
LOCAL(load16, 16, 0, 1)
LOCAL(load32, 32, 0, 1)
LOCAL(load64, 64, 0, 1)
LOCAL(load128, 128, 0, 1)
LOCAL(both16, 16, 1, 1)
LOCAL(both64, 64, 1, 1)

// One word stored TIMES over: whether stores to one line are put together on their way.
#define AGAIN(TIMES)                                                                                                  \
    KERNEL local_again##TIMES(Record* out, int n) {                                                                   \
        u32 words[4], at = address(words);                                                                            \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            _Pragma("unroll") for (int k = 0; k < TIMES; k++) store_local(at, i + k);                                 \
        }                                                                                                             \
        leave(out, start, load_local(at));                                                                            \
    }
AGAIN(1) AGAIN(16)
