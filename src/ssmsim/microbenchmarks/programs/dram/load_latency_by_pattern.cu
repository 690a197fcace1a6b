// Loads of all warps of all SMs from memory far larger than L2, each warp with one load in flight.
#include "memory.cuh"
#include "reads.cuh"
#include "sweep.cuh"

// Round i of a warp has the number `piece`, its own among all warps and rounds; lane i reads at AT & mask, plus OWN.
// The value goes nowhere but to the record, so that no address depends on what memory holds; that the next load
// waits for it is because the warp stands still at the first use of the value, in the same round.
#define CREW(name, TYPE, AT, OWN)                                                                                      \
    KERNEL crew_##name(Record* out, int n, const char* base, u64 mask) {                                               \
        u32 lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, s = 0;                       \
        u32 warps = gridDim.x * blockDim.x >> 5;                                                                       \
        __syncthreads();                                                                                               \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            u64 piece = (u64)i * warps + warp;                                                                         \
            s ^= load_l2(TYPE(), base + ((AT) & mask) + (OWN));                                                        \
        }                                                                                                              \
        leave(out, start, s);                                                                                          \
    }
CREW(step, W4, piece * 512, lane * 16)
CREW(wide, W4, mix(piece + 1) * 512, lane * 16)
CREW(line, W1, mix(piece + 1) * 128, lane * 4)
CREW(lines8, W4, mix(piece * 8 + lane / 4 + 1) * 128, (lane & 3) * 16)
