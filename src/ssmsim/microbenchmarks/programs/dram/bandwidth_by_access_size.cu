// Reads of pieces that lie apart in DRAM, each once, all over a window of 64 MB, with and without stores beside them.
#include "memory.cuh"
#include "sweep.cuh"

#define WINDOW (64u << 20)
// Per round a warp loads DEPTH times 512 bytes in pieces of PIECE bytes, and awaits them; STORE: it writes as much, in one piece.
// pace: FMULs of a chain before the next round.
template <int PIECE, int STORE>
__device__ __forceinline__ void pieces(Record* out, int n, char* base, u64 there, int pace) {
    constexpr u32 DEPTH = 4, EACH = 512 / PIECE, LANES = PIECE / 16, NUMBER = WINDOW / PIECE;
    u32 lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, warps = gridDim.x * blockDim.x >> 5, s = 0;
    float f = 1.f + lane;
    __syncthreads();
    u64 start = now();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        u32 v[DEPTH], load = (i * warps + warp) * DEPTH;
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) {
            u32 piece = (load + d) * EACH + lane / LANES;
            u32 place = (piece % NUMBER) * 0x9e3779b1u % NUMBER;  // an odd factor: every place once
            v[d] = load_l2(W4(), base + (u64)(piece / NUMBER) * WINDOW + (u64)place * PIECE + lane % LANES * 16);
        }
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) s ^= v[d];
        if (STORE)
#pragma unroll
            for (u32 d = 0; d < DEPTH; d++) store_global(W4(), base + there + (u64)(load + d) * 512 + lane * 16, v[d]);
#pragma unroll 1
        for (int k = 0; k < pace; k += 16) { TIMES16(asm volatile("mul.f32 %0, %0, %1;" : "+f"(f) : "f"(1.0001f));) }
    }
    leave(out, start, s + (u32)f);
}
#define PIECES(P)                                                                                                     \
    KERNEL pieces_##P(Record* out, int n, char* base, u64 there, int pace) { pieces<P, 0>(out, n, base, there, pace); } \
    KERNEL pieces_store_##P(Record* out, int n, char* base, u64 there, int pace) {                                     \
        pieces<P, 1>(out, n, base, there, pace);                                                                      \
    }
PIECES(64) PIECES(128) PIECES(256) PIECES(512)
// As pieces, of 2 KB: the four loads of a round lie side by side.
KERNEL pieces_2048(Record* out, int n, char* base, u64 there, int) {
    u32 lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, warps = gridDim.x * blockDim.x >> 5, s = 0;
    __syncthreads();
    u64 start = now();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        u32 v[4], piece = i * warps + warp, place = piece % (WINDOW / 2048) * 0x9e3779b1u % (WINDOW / 2048);
        const char* at = base + (u64)(piece / (WINDOW / 2048)) * WINDOW + (u64)place * 2048 + lane * 16;
#pragma unroll
        for (u32 d = 0; d < 4; d++) v[d] = load_l2(W4(), at + d * 512);
#pragma unroll
        for (u32 d = 0; d < 4; d++) s ^= v[d];
    }
    leave(out, start, s);
}
// Stores alone, of 512 bytes a warp, in order.
KERNEL pieces_write(Record* out, int n, char* base, u64 there, int) {
    u32 lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, warps = gridDim.x * blockDim.x >> 5;
    __syncthreads();
    u64 start = now();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (u32 d = 0; d < 4; d++) store_global(W4(), base + there + (u64)((i * warps + warp) * 4 + d) * 512 + lane * 16, i);
    leave(out, start, n);
}
