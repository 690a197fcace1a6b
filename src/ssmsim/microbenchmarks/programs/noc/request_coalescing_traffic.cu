// SMs that read the same lines one after the other: how many of their requests still reach the L2.
#include "memory.cuh"

struct Sms { u32 mask[5]; };   // SM i takes part when bit i is set

// One warp per SM walks the region past its L1, 512 bytes at a time, one read on its way; the k-th SM starts k * delay ns
// after the first.
KERNEL follow(u32* sink, char* base, u32 bytes, u32 delay, Sms sms) {
    u32 me = sm(), rank = 0;
    if (!(sms.mask[me >> 5] >> (me & 31) & 1)) return;
    for (u32 i = 0; i < me; i++) rank += sms.mask[i >> 5] >> (i & 31) & 1;
    u64 begin = ((nanoseconds() >> 15) + 2 << 15) + rank * delay;
    while (nanoseconds() < begin) {}
    u32 v = 0;
#pragma unroll 1
    for (u32 at = 0; at < bytes; at += 512) v = load_l2(W4(), base + at + threadIdx.x * 16 + (v == 0x9e3779b9u ? 16 : 0));
    if (v == 0x9e3779b9u) *sink = v;
}
