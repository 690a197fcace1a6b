// Shared memory: latency by pointer chase; cycles per warp instruction by width and by lane stride (bank conflicts).
#include "memory.cuh"
extern __shared__ char pool[];

__device__ __forceinline__ u32 pool_address() { return (u32)__cvta_generic_to_shared(pool); }

// Every word of the first `bytes` holds `value`.
__device__ __forceinline__ void fill(u32 bytes, u32 value) {
    for (u32 i = threadIdx.x * 4; i < bytes; i += blockDim.x * 4) *(u32*)(pool + i) = value;
    __syncthreads();
}

#define CHASE(name, load)                                                                                             \
    KERNEL name##_chain(Record* out, int n, int bytes, int stride) {                                                  \
        u32 p = pool_address() + threadIdx.x * stride % bytes, a, b, c;                                               \
        for (u32 i = 0; i < (u32)bytes; i += 4) *(u32*)(pool + i) = pool_address() + (i & ~15);                       \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) { TIMES16(load) }                                             \
        leave(out, start, p);                                                                                         \
    }
CHASE(lds32, asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(p));)
CHASE(lds64, asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%0];" : "+r"(p), "=r"(a));)
CHASE(lds128, asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%0];" : "+r"(p), "=r"(a), "=r"(b), "=r"(c));)
CHASE(ldsm1, asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%0];" : "+r"(p));)
CHASE(ldsm4, asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%0];"
                          : "+r"(p), "=r"(a), "=r"(b), "=r"(c));)
CHASE(atoms, asm volatile("{.reg .u32 t; atom.shared.add.u32 t, [%0], 0; mov.u32 %0, t;}" : "+r"(p));)

// `warps`: bit w set: warp w takes part. `stride`: bytes between neighbouring lanes (modulo `bytes`); 16 accesses per iteration, OFFSET apart.
#define OFFSET 512
#define RATE(name, access)                                                                                            \
    KERNEL name##_rate(Record* out, int n, int bytes, int stride, int zero, u32 warps) {                              \
        fill(bytes, 0);                                                                                               \
        if (!(warps >> (threadIdx.x >> 5) & 1)) return;                                                               \
        u32 lane = threadIdx.x & 31, p = pool_address() + lane * stride % bytes, s = 0, a, b, c, d;                   \
        u32 q = p, w = lane * 3, x = lane * 5, y = lane * 7;                                                                                                   \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) { \
            _Pragma("unroll") for (int k = 0; k < 16; k++) { access } q += zero; }                                    \
        leave(out, start, s);                                                                                         \
    }
RATE(lds32, asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(q + k * OFFSET)); s ^= a;)
RATE(lds64, asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(q + k * OFFSET)); s ^= a ^ b;)
RATE(lds128, asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(q + k * OFFSET)); s ^= a ^ b ^ c ^ d;)
RATE(sts32, asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(q + k * OFFSET), "r"(lane) : "memory");)
RATE(sts64, asm volatile("st.volatile.shared.v2.u32 [%0], {%1,%2};" :: "r"(q + k * OFFSET), "r"(lane), "r"(w) : "memory");)
RATE(sts128, asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%2,%3,%4};" :: "r"(q + k * OFFSET), "r"(lane), "r"(w), "r"(x), "r"(y) : "memory");)
RATE(ldsm1, asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(q + k * OFFSET)); s ^= a;)
RATE(ldsm2, asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(q + k * OFFSET)); s ^= a ^ b;)
RATE(ldsm4, asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                         : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(q + k * OFFSET)); s ^= a ^ b ^ c ^ d;)
RATE(ldsm4t, asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                          : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(q + k * OFFSET)); s ^= a ^ b ^ c ^ d;)
RATE(stsm4, asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" :: "r"(q + k * OFFSET), "r"(lane), "r"(w), "r"(x), "r"(y) : "memory");)
RATE(atoms, asm volatile("red.shared.add.u32 [%0], %1;" :: "r"(q + k * OFFSET), "r"(lane) : "memory");)
RATE(lds_ffma, asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(q + k * OFFSET)); s ^= a;
     asm volatile("{.reg .f32 t; mov.b32 t, %0; fma.rn.f32 t, t, t, t; mov.b32 %0, t;}" : "+r"(lane));)
