// Loads of the same lines by several SMs of a GPC: what the port into the GPC and those of the SMs take of shared answers.
#include "memory.cuh"
#include "lines.cuh"

// n rounds of eight loads, each `step` bytes behind the one before it.
#define WALK                                                                                                          \
    _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                                 \
        _Pragma("unroll") for (int k = 0; k < 8; k++) { s ^= load_l2(W4(), lane + at); at = (at + step) & (region - 1); } \
    }

// As read_l2 of the program l2, but `share` neighbours among the chosen SMs read the same lines in the same order.
KERNEL share_l2(Record* out, int n, char* base, u32 region, u32 share, Sms sms) {
    if (!chosen(sms)) return;
    u32 me = sm(), rank = 0, count = 0;
    for (u32 i = 0; i < 160; i++) {
        u32 one = sms.mask[i >> 5] >> (i & 31) & 1;
        count += one, rank += i < me ? one : 0;
    }
    u32 warps = blockDim.x >> 5, s = 0, step = (count + share - 1) / share * warps * 512;
    u32 at = (rank / share * warps + (threadIdx.x >> 5)) * 512 & (region - 1);
    char* lane = base + (threadIdx.x & 31) * 16;
    u64 begin = ((nanoseconds() >> 15) + 2) << 15;   // the SMs start together
    while (nanoseconds() < begin) {}
    u64 start = now();
    WALK
    leave(out, start, s);
}

// The same with all SMs, which read the same lines wherever their blocks are.
KERNEL same_l2(Record* out, int n, char* base, u32 region) {
    u32 s = 0, at = (threadIdx.x >> 5) * 512, step = (blockDim.x >> 5) * 512;
    char* lane = base + (threadIdx.x & 31) * 16;
    u64 start = now();
    WALK
    leave(out, start, s);
}
