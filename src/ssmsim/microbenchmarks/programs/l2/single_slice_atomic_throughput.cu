// Additions of all SMs to one line of L2 or a few of one slice, and lone hits beside them.
#include "sides.cuh"

#define RED(at) asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" :: "l"(at), "f"(1.f) : "memory")

// Block 0 reads a line again and again, touched a random while before so that it hits; warps of the other blocks add to all
// words of line `target` with `pace` cycles between on the average, unless that is 0. totals: additions, reads.
KERNEL beside(unsigned short* cycles, char* base, const u32* line, u32 count, u32 target, u32 pace, u32 from, u32 until,
              u32 stop, u32* totals, u32 zero) {
    u64 begin = now();
    u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31, id = blockIdx.x * (blockDim.x >> 5) + warp, done = 0;
    if (blockIdx.x == 0) {
        if (threadIdx.x) return;
        spin(from);
        totals[1] = lone(cycles, base, line, 1, count, true, begin, until, zero);
        return;
    }
    if (pace == 0) return;
    spin(1000 + mix(id) % (pace + 1000));
#pragma unroll 1
    for (; now() - begin < stop; done++) {
        RED(base + (u64)target * 128 + lane * 4);
        spin(pace / 2 + mix(id * 65536ull + done) % (pace + 1));
    }
    if (lane == 0) atomicAdd(totals, done);
}

// Warps of the SMs of the partitions in `who` (bits) add to the words of `lanes` lanes of line w % number, without a pause.
// totals: additions.
KERNEL several(char* base, Sides sides, u32 who, const u32* lines, u32 number, u32 lanes, u32 stop, u32* totals) {
    u64 begin = now();
    u32 s = sm(), warp = threadIdx.x >> 5, lane = threadIdx.x & 31, done = 0;
    if (!(who >> ((const u32*)sides.side)[s] & 1)) return;
    u32 id = ((const u32*)sides.number)[s] * (blockDim.x >> 5) + warp;
    char* p = base + (u64)lines[id % number] * 128 + lane * 4;
    spin(500);
#pragma unroll 1
    for (; now() - begin < stop; done++)
        if (lane < lanes) RED(p);
    if (lane == 0) atomicAdd(totals, done);
}

// As soon as they see block 0 count up `word`, the others' warps add to a line, `adds` times each; block 0 reads `line`, which
// hits, `after` cycles later.
KERNEL burst(unsigned short* cycles, char* base, volatile u32* word, u32 line, u32 target, u32 adds, u32 after, u32 count,
             u32 zero) {
    u32 lane = threadIdx.x & 31;
    char* p = base + (u64)line * 128;
    if (blockIdx.x == 0) {
        if (threadIdx.x) return;
        for (u32 i = 1; i <= count; i++) {
            spin(60000);
            touch(p, zero);
            spin(3000);
            *word = i;
            spin(after);
            cycles[i - 1] = min(65535u, timed(p, zero));
        }
        return;
    }
    for (u32 i = 1; i <= count; i++) {
        while (*word < i) spin(100);
#pragma unroll 1
        for (u32 k = 0; k < adds; k++) RED(base + (u64)target * 128 + lane * 4);
    }
}
