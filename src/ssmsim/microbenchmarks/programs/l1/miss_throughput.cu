// L2 hits by more and more warps of an SM at once, each with one load in flight.
#include "memory.cuh"

// lane i reads `each` bytes; PLACE gives its offset in the piece that the warp reads, of `SPAN` bytes.
#define CROWD(name, TYPE, SPAN, PLACE)                                                                                 \
    KERNEL crowd_##name(Record* out, int n, const char* base, u32 bytes) {                                             \
        u32 lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;                              \
        u32 x = warp * 2654435761u + 12345u, pieces = bytes / SPAN, zero = 0;                                          \
        const char* mine = base + PLACE;                                                                               \
        __syncthreads();                                                                                               \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            _Pragma("unroll") for (int k = 0; k < 8; k++) {                                                            \
                x = x * 1664525u + 1013904223u + zero;                                                                 \
                zero = load_l2(TYPE(), mine + (u64)((x >> 4) & (pieces - 1)) * SPAN);                                  \
            }                                                                                                          \
        }                                                                                                              \
        leave(out, start, x);                                                                                          \
    }
CROWD(line, W1, 128, lane * 4)
CROWD(wide, W4, 512, lane * 16)
CROWD(rows8, W1, 4096, (lane >> 2) * 512 + (lane & 3) * 4)
CROWD(rows32, W1, 16384, lane * 512)
CROWD(rows4, W2, 2048, (lane >> 3) * 512 + (lane & 7) * 8)
CROWD(pairs16, W1, 8192, (lane >> 1) * 512 + (lane & 1) * 32)
CROWD(lines8, W4, 4096, (lane >> 2) * 512 + (lane & 3) * 16)
