// Stores to lines of L2, then a fence or a load: how long warps take to issue them, and how long what is behind them takes.
#include "lines.cuh"
#include "memory.cuh"

struct Times { u64 start, issued, end, sm; };  // of one warp: before the first store, behind the last, behind the fence or load

#define FENCE(T, at) asm volatile("fence.acq_rel.gpu;" ::: "memory")
#define LOAD(T, at) if (load_l2(T(), at) == 0x9e3779b9u) return  // a branch on the value: the clock read waits for it

// Each store of a warp is to another piece of the region of mask + 1 bytes; `first` is the first warp's first piece.
#define STORES(name, T, END)                                                                                          \
    KERNEL name(Times* out, int n, char* base, u64 mask, u64 first, Sms sms) {                                        \
        if (!chosen(sms)) return;                                                                                     \
        u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, warps = gridDim.x * blockDim.x >> 5;                 \
        u32 lane = threadIdx.x & 31;                                                                                  \
        u64 piece = 32 * sizeof(T), at = (first + warp) * piece, step = warps * piece;                                \
        base += lane * sizeof(T);                                                                                     \
        __syncthreads();                                                                                              \
        Times t = {now()};                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            store_l2(T(), base + (at & mask), i);                                                                     \
            at += step;                                                                                               \
        }                                                                                                             \
        t.issued = now();                                                                                             \
        END(T, base + (at + 3 * step & mask));                                                                        \
        t.end = now();                                                                                                \
        t.sm = sm();                                                                                                  \
        if (lane == 0) out[warp] = t;                                                                                 \
    }
STORES(st4_fence, W4, FENCE)
STORES(st4_load, W4, LOAD)
STORES(st1_fence, W1, FENCE)
STORES(st1_load, W1, LOAD)
