// What every program shares: one record per warp, the clock, and repetition of a line of code.
#pragma once
typedef unsigned int u32;
typedef unsigned long long u64;

struct Record {   // written by lane 0 of each warp; 32 bytes
    u64 start, end;    // SM clock
    u64 global;        // ns, %globaltimer at start
    u32 smid, sink;    // sink: depends on all work, so that none of it is dead
};

__device__ __forceinline__ u64 now() { u64 t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory"); return t; }
__device__ __forceinline__ u64 nanoseconds() { u64 t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); return t; }
__device__ __forceinline__ u32 sm() { u32 s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }

// A launch of one block does not ask for its SM, so that it can be replayed where SMs have no number.
__device__ __forceinline__ void leave(Record* out, u64 start, u32 sink) {
    u64 end = now();
    u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if ((threadIdx.x & 31) == 0) {
        u32 at = 0;
        if (gridDim.x > 1) at = sm();
        Record r = {start, end, 0, at, sink};
        out[warp] = r;
    }
}

#define TWICE(x) x x
#define TIMES4(x) TWICE(x) TWICE(x)
#define TIMES8(x) TIMES4(x) TIMES4(x)
#define TIMES16(x) TIMES8(x) TIMES8(x)
#define TIMES64(x) TIMES16(x) TIMES16(x) TIMES16(x) TIMES16(x)
#define TIMES1024(x) TIMES64(TIMES16(x))

#define KERNEL extern "C" __global__ void
