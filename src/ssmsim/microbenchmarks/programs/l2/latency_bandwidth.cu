// L2: latency of single lines seen from every SM, bandwidth of hits, stores and atomics from chosen SMs.
#include "memory.cuh"
#include "lines.cuh"

// Cold misses: touch one line of a 2 MB page (fills the TLB), then time `lines` untouched lines of that page.
KERNEL miss_latency(unsigned short* first, char* base, u64 page, int pages, int lines, int stride, u32 zero) {
    u32 seen = 0;
#pragma unroll 1
    for (int p = 0; p < pages; p++) {
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(seen) : "l"(base + p * page + seen) : "memory");
#pragma unroll 1
        for (int i = 1; i <= lines; i++) {
            u32 v;
            u64 a = now();
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(base + p * page + (u64)i * stride + ((u32)a & zero)) : "memory");
            if (v == 0x9e3779b9u) return;
            u64 b = now();
            first[(u64)p * lines + i - 1] = (u32)(b - a);
        }
    }
}

// Warps stride through `region` bytes (a power of two) together, 512 bytes each; 8 accesses in flight per warp.
// No two warps of an SM touch the same line while it can still be in flight, else requests merge and look like bandwidth.
#define WALK_AS(name, guard, access, ...)                                                                             \
    KERNEL name(Record* out, int n, char* base, u32 region __VA_ARGS__) {                                             \
        guard                                                                                                         \
        u32 s = 0, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, step = (gridDim.x * blockDim.x >> 5) * 512;    \
        u32 at = (warp * 512) & (region - 1);                                                                         \
        char* lane = base + (threadIdx.x & 31) * 16;                                                                  \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            _Pragma("unroll") for (int k = 0; k < 8; k++) { char* p = lane + at; access; at = (at + step) & (region - 1); } \
        }                                                                                                             \
        leave(out, start, s);                                                                                         \
    }
// On chosen SMs, and on all.
#define WALK(name, access) WALK_AS(name, if (!chosen(sms)) return;, access, , Sms sms) WALK_AS(name##_all, , access)
WALK(read_l2, s ^= load_l2(W4(), p))
WALK(read_plain, s ^= load_global(W4(), p))
WALK(write_l2, store_global(W4(), p, at))
WALK(write32_l2, store_global(W1(), base + at + (threadIdx.x & 31) * 4, at))
WALK(write64_l2, store_global(W2(), base + at + (threadIdx.x & 31) * 8, at))
WALK(red_l2, asm volatile("red.global.add.f32 [%0], %1;" :: "l"(base + at + (threadIdx.x & 31) * 4), "f"(1.f) : "memory"))

// One lane of one SM: cycles of an atomic on each line, after a load of it has brought it near.
KERNEL atom_latency(unsigned short* cycles, char* base, u64 stride, int lines, u32 zero) {
#pragma unroll 1
    for (int i = 0; i < lines; i++) {
        u32 v;
        u64 a = now();
        asm volatile("atom.global.exch.b32 %0, [%1], 1;" : "=r"(v) : "l"(base + i * stride + ((u32)a & zero)) : "memory");
        if (v == 0x9e3779b9u) return;
        u64 b = now();
        cycles[i] = (u32)(b - a);
    }
}
// Atomics that return the old value: a chain of dependent ones on one word.
KERNEL atom_chain(Record* out, int n, u32* word, u32 region, Sms sms) {
    if (!chosen(sms)) return;
    u32 s = 0;
    u64 start = now();
    _Pragma("unroll 1") for (int i = 0; i < n; i++) { TIMES8(s = atomicAdd(word + s, 0u);) }
    leave(out, start, s);
}
// All warps add to one address (same = 0) or each warp to its own 128-byte line.
KERNEL red_same(Record* out, int n, float* word, u32 own, Sms sms) {
    if (!chosen(sms)) return;
    u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    float* p = word + own * (warp * 32 + (threadIdx.x & 31));
    u64 start = now();
    _Pragma("unroll 1") for (int i = 0; i < n; i++) { TIMES8(asm volatile("red.global.add.f32 [%0], %1;" :: "l"(p), "f"(1.f) : "memory");) }
    leave(out, start, 0);
}
