// Which SMs take part, and the latency of single lines seen from each of them.
#pragma once
#include "common.cuh"

struct Sms { u32 mask[5]; };   // SM i takes part when bit i is set
__device__ __forceinline__ bool chosen(const Sms& sms) { u32 s = sm(); return sms.mask[s >> 5] >> (s & 31) & 1; }

// One lane per SM reads single words `stride` bytes apart, each `tries` times: cycles of the fastest, and of the first.
// `zero` is 0: it makes the address wait for the first clock read, as the branch makes the second wait for the value.
KERNEL line_latency(unsigned short* fastest, unsigned short* first, char* base, u64 stride, int lines, int tries, int wait, u32 zero, Sms sms) {
    u32 s = sm();
    if (!chosen(sms)) return;
    u64 until = now() + (u64)wait * s;          // SMs take turns so that they do not queue behind one another
    while (now() < until) {}
    for (int i = 0; i < lines; i++) {
        u32 best = 65535, cold = 0;
#pragma unroll 1
        for (int t = 0; t < tries; t++) {
            u32 v;
            u64 a = now();
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(base + i * stride + ((u32)a & zero)) : "memory");
            if (v == 0x9e3779b9u) return;       // a branch on the value: the second clock read waits for it
            u64 b = now();
            if (t == 0) cold = (u32)(b - a);
            best = min(best, (u32)(b - a));
        }
        fastest[s * lines + i] = best, first[s * lines + i] = cold;
    }
}
