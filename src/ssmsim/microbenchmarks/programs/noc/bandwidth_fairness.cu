// All SMs at once, as fast as they can, at one slice of L2, at all of them, or at DRAM: how much each SM gets done.
#include "common.cuh"

KERNEL __cluster_dims__(8, 1, 1) together(u32* out) {
    u64 begin = now();
    while (now() - begin < 3000) {}
    if (threadIdx.x == 0) out[blockIdx.x] = sm();
}

enum { ADDS, HITS, STORES, READS, WRITES };
// Lines 0, 1, 4 and 5 of a KB lie in one slice (l2/slice_hash).
__device__ __forceinline__ u32 of_one_slice(u32 i) { return (i & 1) | (i & 2) << 1; }

// All begin together. done: what each warp has issued in the last three quarters of `stop` cycles, and its SM.
KERNEL share(char* base, u32 what, u32 stop, u32 bytes, u64* done, u32 zero) {
    u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31, id = blockIdx.x * (blockDim.x >> 5) + warp, sum = 0, issued = 0, early = 0;
    u64 at = nanoseconds();
    at = ((at >> 14) + 2) << 14;
    while (nanoseconds() < at) {}
    u64 begin = now(), past;
    char* own = base + (64ull << 20) + (u64)id * bytes + lane * 16;
#pragma unroll 1
    for (u32 i = 0; (past = now() - begin) < stop; i++) {
        char* line = base + of_one_slice(id * 7 + i & 3) * 128 + lane * 4;
        char* piece = own + (u64)i * 4096 % bytes;
        if (what == ADDS) {
            asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" :: "l"(line), "f"(1.f) : "memory");
            issued++;
        } else if (what == STORES) {
            asm volatile("st.global.cg.u32 [%0], %1;" :: "l"(line), "r"(i) : "memory");
            issued++;
        } else if (what == HITS) {
            u32 v[4];
#pragma unroll
            for (int k = 0; k < 4; k++) {
                u32 sector = id * 5 + i * 4 + k & 15;
                asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v[k])
                             : "l"(base + of_one_slice(sector >> 2) * 128 + (sector & 3) * 32 + (lane & 7) * 4) : "memory");
            }
            sum ^= v[0] ^ v[1] ^ v[2] ^ v[3];
            if (sum == 12345 + zero) past = 1;
            issued += 4;
        } else if (what == READS) {
            u32 v[8][4];
#pragma unroll
            for (int k = 0; k < 8; k++)
                asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[k][0]), "=r"(v[k][1]), "=r"(v[k][2]), "=r"(v[k][3])
                             : "l"(piece + k * 512) : "memory");
#pragma unroll
            for (int k = 0; k < 8; k++) sum ^= v[k][0] ^ v[k][3];
            if (sum == 12345 + zero) issued++;
            issued += 8;
        } else {
#pragma unroll
            for (int k = 0; k < 8; k++)
                asm volatile("st.global.cg.v4.u32 [%0], {%1,%1,%1,%1};" :: "l"(piece + k * 512), "r"(i) : "memory");
            issued += 8;
        }
        if (past < stop / 4) early = issued;
    }
    if (lane == 0) done[id * 2] = issued - early + (sum == 777 + zero), done[id * 2 + 1] = sm();
}
