// Accesses of 8 and 16 bytes a lane, 16 in a round, by which lanes use one address: the address is a sum over a lane's bits.
#include "common.cuh"
extern __shared__ char pool[];

#define LANES(name, access)                                                                                           \
    KERNEL lanes_##name(Record* out, int n, u32 s0, u32 s1, u32 s2, u32 s3, u32 s4) {                     \
        u32 l = threadIdx.x & 31, s = 0, a = 0, b = 0, c = 0, d = 0;                                                  \
        u32 at = (l & 1) * s0 + (l >> 1 & 1) * s1 + (l >> 2 & 1) * s2 + (l >> 3 & 1) * s3 + (l >> 4) * s4;            \
        u32 q = (u32)__cvta_generic_to_shared(pool) + at;                                                             \
        for (u32 i = threadIdx.x * 4; i < 68 << 10; i += blockDim.x * 4) *(u32*)(pool + i) = 0;                           \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) { _Pragma("unroll") for (int k = 0; k < 16; k++) { access } } \
        leave(out, start, s);                                                                                         \
    }
LANES(lds64, asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(q + k * 4096)); s ^= a ^ b;)
LANES(lds128, asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(q + k * 4096)); s ^= a ^ b ^ c ^ d;)
LANES(sts128, asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%1,%1,%1};" :: "r"(q + k * 4096), "r"(l) : "memory");)
LANES(ldsm4, asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(q + k * 4096)); s ^= a ^ b ^ c ^ d;)
