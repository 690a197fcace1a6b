// Pairs of loads of lines that share a bank or a slice, and all SMs reading lines of one slice alone.
#include "reads.cuh"
#include "sweep.cuh"

// Cycles of reads of `lines` (in units of 128 bytes), [tries][count]; before each a second warp has loaded the line
// `given`, `gap` cycles earlier, unless gap is negative. Both are dropped from L2 a random while before.
KERNEL pairs(unsigned short* cycles, char* base, const u32* lines, int count, u32 given, int gap, int tries, u32 zero) {
    __shared__ u64 go;
    u32 warp = threadIdx.x >> 5;
    char* first = base + (u64)given * 128;
#pragma unroll 1
    for (int i = 0; i < count * tries; i++) {
        char* p = base + (u64)lines[i % count] * 128;
        if (threadIdx.x == 0) {
            drop(p);
            drop(first);
            spin(1200 + mix(i + 1) % 2048);
            go = now() + 200;
        }
        __syncthreads();
        if ((threadIdx.x & 31) == 0) {
            u64 at = go + (warp == 0 && gap > 0 ? gap : 0);
            while (now() < at) {}
            if (warp == 0) cycles[i] = timed(p, zero);
            else if (gap >= 0) touch(first, zero);
        }
        __syncthreads();
    }
}

// Block 0 reads its `own` lines in turn, dropped before each read or (hit) touched; the others' warps one line each,
// dropped and read again, with `pace` cycles between on the average. totals: reads of the others, of block 0.
KERNEL alone(unsigned short* cycles, char* base, const u32* lines, u32 own, u32 hit, u32 count, u32 pace, u32 from, u32 until,
             u32 stop, u32* totals, u32 zero) {
    u64 begin = now();
    if (blockIdx.x == 0) {
        if (threadIdx.x) return;
        spin(from);
        totals[1] = lone(cycles, base, lines, own, count, hit, begin, until, zero);
        return;
    }
    if (threadIdx.x & 31) return;
    u32 warp = threadIdx.x >> 5, id = (blockIdx.x - 1) * (blockDim.x >> 5) + warp, done = 0;
    char* p = base + (u64)lines[own + id] * 128;
    spin(1000 + mix(id) % (pace + 1000));
#pragma unroll 1
    for (; now() - begin < stop; done++) {
        drop(p);
        touch(p, zero);
        if (pace) spin(pace / 2 + mix(id * 65536ull + done) % (pace + 1));
    }
    atomicAdd(totals, done);
}

// As alone, the others' warps reading whole lines or their first `lanes` words; reader `id` of the first `readers` of them.
KERNEL crowd(unsigned short* cycles, char* base, const u32* lines, u32 own, u32 count, u32 readers, u32 lanes, u32 from, u32 until,
             u32 stop, u32* totals, u32 zero) {
    u64 begin = now();
    if (blockIdx.x == 0) {
        if (threadIdx.x) return;
        spin(from);
        totals[1] = lone(cycles, base, lines, own, count, 0, begin, until, zero);
        return;
    }
    u32 lane = threadIdx.x & 31, id = (threadIdx.x >> 5) * (gridDim.x - 1) + blockIdx.x - 1, done = 0;
    if (id >= readers) return;
    char* p = base + (u64)lines[own + id] * 128;
    spin(1000 + mix(id) % 1000);
#pragma unroll 1
    for (; now() - begin < stop; done++) {
        if (lane == 0) drop(p);
        __syncwarp();
        if (lane < lanes) touch(p + lane * 4, zero);
        __syncwarp();
    }
    if (lane == 0) atomicAdd(totals, done);
}
