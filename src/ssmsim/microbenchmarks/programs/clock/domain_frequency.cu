// L2 and DRAM seen from a few SMs while the others multiply matrices, which draws power and lowers the SM clock.
#include "memory.cuh"
#include "lines.cuh"

#define MMA(d) asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));

// Numbers near 1 with random mantissas and signs: operands that toggle.
__device__ __forceinline__ u32 some(u32 seed) { seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5; return (seed & 0x807f807f) | 0x3f003f00; }

__device__ u32 multiply(u64 until) {
    u32 a[4], b[2];
    float d[8][4];
    for (u32 i = 0; i < 4; i++) a[i] = some(0x9e3779b9u * (threadIdx.x + 1 + 64 * i));
    for (u32 i = 0; i < 2; i++) b[i] = some(0x85ebca6bu * (threadIdx.x + 1 + 64 * i));
#pragma unroll
    for (int k = 0; k < 32; k++) d[k / 4][k % 4] = 0;
#pragma unroll 1
    while (nanoseconds() < until) {
        TIMES8(MMA(d[0]) MMA(d[1]) MMA(d[2]) MMA(d[3]) MMA(d[4]) MMA(d[5]) MMA(d[6]) MMA(d[7]))
    }
    float s = 0;
#pragma unroll
    for (int k = 0; k < 32; k++) s += d[k / 4][k % 4];
    return (u32)s;
}

// Chosen SMs time n rounds of ACCESS from `lead` ns on; the others multiply for `busy` ns, or nothing. One record per warp,
// with the ns that its cycles took.
#define BESIDE(name, threads, ACCESS)                                                                                 \
    KERNEL name(Record* out, int n, char* base, u32 region, u32 lead, u32 busy, Sms sms) {                            \
        u64 begin = ((nanoseconds() >> 15) + 2) << 15;                                                                \
        if (!chosen(sms)) {                                                                                           \
            if (busy && multiply(begin + busy) == 0x9e3779b9u) out[0].sink = 1;                                       \
            return;                                                                                                   \
        }                                                                                                             \
        if (threadIdx.x >= threads) return;                                                                           \
        u32 s = 0, warp = (sm() * blockDim.x + threadIdx.x) >> 5, step = (132 * blockDim.x >> 5) * 512;               \
        u32 at = warp * 512 & (region - 1);                                                                           \
        char* lane = base + (threadIdx.x & 31) * 16;                                                                  \
        u64 place = *(u64*)base;                                                                                      \
        while (nanoseconds() < begin + lead) {}                                                                       \
        u64 first = nanoseconds(), start = now();                                                                     \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) { TIMES8(ACCESS) }                                            \
        if (s + (u32)place == 0x9e3779b9u) out[0].sink = s;                                                           \
        u64 end = now(), last = nanoseconds();                                                                        \
        if ((threadIdx.x & 31) == 0) { Record r = {start, end, last - first, sm(), s}; out[(sm() * blockDim.x + threadIdx.x) >> 5] = r; } \
    }
BESIDE(chase, 1, asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(place) :: "memory");)
BESIDE(read, 1024, { s ^= load_l2(W4(), lane + at); at = (at + step) & (region - 1); })
BESIDE(write, 1024, { store_global(W4(), lane + at, at); at = (at + step) & (region - 1); })
