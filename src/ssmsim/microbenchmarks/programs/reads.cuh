// Lone reads: timed ones, the pause between them, and lines that are dropped from L2 before each.
#pragma once
#include "common.cuh"

// A number for a number, without pattern (the last steps of splitmix64).
__device__ __forceinline__ u64 mix(u64 x) {
    x ^= x >> 30; x *= 0xbf58476d1ce4e5b9ull; x ^= x >> 27; x *= 0x94d049bb133111ebull; return x ^ x >> 31;
}
__device__ __forceinline__ void spin(u32 cycles) { u64 until = now() + cycles; while (now() < until) {} }
// `zero` is 0: it makes the address wait for the first clock read, as the branch makes the second wait for the value.
__device__ __forceinline__ u32 timed(const char* p, u32 zero) {
    u32 v;
    u64 a = now();
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p + ((u32)a & zero)) : "memory");
    if (v == 0x9e3779b9u) return 0;
    u64 b = now();
    return (u32)(b - a);
}
// A read whose time does not matter; the assembler would leave out one whose result nobody looks at.
__device__ __forceinline__ void touch(const char* p, u32 zero) { if (timed(p, zero) == 1) __trap(); }
__device__ __forceinline__ void drop(char* p) { asm volatile("discard.global.L2 [%0], 128;" :: "l"(p) : "memory"); }
// Cycles of the fastest of some reads of a line from DRAM, each dropped from L2 before.
__device__ __forceinline__ u32 fastest_of(char* p, int tries, u32 zero) {
    u32 best = 65535;
#pragma unroll 1
    for (int k = 0; k < tries; k++) {
        drop(p);
        spin(300 + 200 * k);
        best = min(best, timed(p, zero));
    }
    return best;
}
// One thread reads `count` lines (in units of 128 bytes), the first `own` of them again and again, from now until `until`
// cycles after `begin`; each is touched (hit) or dropped a random while before. Returns how many it has read.
__device__ __forceinline__ u32 lone(unsigned short* cycles, char* base, const u32* lines, u32 own, u32 count, bool hit, u64 begin, u32 until, u32 zero) {
    u32 i = 0;
#pragma unroll 1
    for (; i < count && now() - begin < until; i++) {
        char* p = base + (u64)lines[i % own] * 128;
        if (hit) touch(p, zero); else drop(p);
        spin(400 + mix(i) % 1024);
        cycles[i] = min(65535u, timed(p, zero));
    }
    return i;
}

// One thread reads each of the lines once in each of `tries` turns, dropped from L2 a random while before: cycles of the
// read and the clock at its end, [tries][lines]. The lines are `offsets` in units of 128 bytes. Each turn begins at a
// random line, for reads of a line at even distances would fit several periods of whatever they wait for.
KERNEL dropped(unsigned short* cycles, u64* ends, char* base, const int* offsets, int lines, int tries, u32 zero) {
#pragma unroll 1
    for (int t = 0; t < tries; t++) {
        u32 first = (u32)(mix(t + 1) % lines);
#pragma unroll 1
        for (int i = 0; i < lines; i++) {
            u32 l = (first + i) % lines;
            char* p = base + (u64)offsets[l] * 128;
            u64 at = (u64)t * lines + l;
            drop(p);
            spin(1000 + (mix(at) & 2047));
            u32 c = timed(p, zero);
            cycles[at] = c, ends[at] = now();
        }
    }
}
