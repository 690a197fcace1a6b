// Which partition of L2 a page or an SM belongs to: reads from DRAM of each block's own lines.
#pragma once
#include "reads.cuh"

// Block b reads lines b * each to (b + 1) * each - 1 (in units of 128 bytes) `tries` times each, dropped from L2 before:
// cycles of the fastest, and the block's SM.
KERNEL own_lines(unsigned short* cycles, u32* place, char* base, const u32* lines, int each, int tries, u32 zero) {
    if (threadIdx.x == 0) place[blockIdx.x] = sm();
#pragma unroll 1
    for (int i = blockIdx.x * each; i < (blockIdx.x + 1) * each; i++) {
        cycles[i] = fastest_of(base + (u64)lines[i] * 128, tries, zero);
    }
}

// Pages of each partition, a power of two of them; by SM: its partition, its number among the SMs of that.
struct Sides { u64 pages[2]; u64 side, number; u32 mask, sms[2]; };
__device__ __forceinline__ char* piece_of(const Sides& s, char* base, u32 side, u32 piece) {
    u32 page = ((const u32*)s.pages[side])[piece / 8 & s.mask];
    return base + (u64)page * 4096 + piece % 8 * 512;
}
