// One SM sends additions or stores to slices of L2 that all other SMs keep busy, then reads a line that hits, mostly elsewhere.
#include "reads.cuh"

struct Sms { u32 mask[5]; };
// Lines 0, 1, 4 and 5 of a KB lie in one slice, 2 and 3 in another (l2/slice_hash).
__device__ __forceinline__ char* busy_line(char* base, u32 i, u32 slices) {
    u32 line = (i & 1) | (i & 2) << 1;
    if (slices == 2 && (i & 1)) line = 2 + (i >> 1 & 1);
    return base + line * 128 + (threadIdx.x & 31) * 4;
}

// times: cycles of the read behind `number` additions (or stores), so many times, each of another page.
KERNEL standing(char* base, Sms who, u32 prober, u32 stores, u32 slices, u32 number, u32 count, u32 pause, u32 stop, u32 pages,
                u32* times, u32 zero) {
    u64 at = nanoseconds();
    at = ((at >> 14) + 2) << 14;
    while (nanoseconds() < at) {}
    u64 begin = now();
    u32 s = sm(), lane = threadIdx.x & 31;
    if (s == prober) {
        if (threadIdx.x >> 5) return;
        spin(30000);
        for (u32 i = 0; i < count; i++) {
            char* line = base + (8ull << 20) + (u64)(i % pages) * 69632 + lane * 4;
            spin(pause);
            touch(line, zero);
            spin(pause);
#pragma unroll 1
            for (u32 j = 0; j < number; j++) {
                char* p = busy_line(base, j, slices);
                if (stores) asm volatile("st.global.cg.u32 [%0], %1;" :: "l"(p), "r"(j) : "memory");
                else asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" :: "l"(p), "f"(1.f) : "memory");
            }
            u32 cycles = timed(line, zero);
            if (lane == 0) times[i] = cycles;
        }
        return;
    }
    if (!(who.mask[s >> 5] >> (s & 31) & 1)) return;
#pragma unroll 1
    for (u32 i = s; now() - begin < stop; i++)
        asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" :: "l"(busy_line(base, i, slices)), "f"(1.f) : "memory");
}
