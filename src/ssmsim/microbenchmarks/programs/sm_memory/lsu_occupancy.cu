// One kind of instruction between eight of another that keep the SM's unit for shared memory busy. No bank conflicts within
// an instruction; copies are never waited for within the loop.
#include "common.cuh"
extern __shared__ char pool[];

#define lds32(k) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[k & 3]) : "r"(word + k * 2048) : "memory");
#define lds128(k) asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[4 * (k & 3)]), "=r"(v[4 * (k & 3) + 1]), "=r"(v[4 * (k & 3) + 2]), "=r"(v[4 * (k & 3) + 3]) : "r"(own + (k & 3) * 8192) : "memory");
#define sts128(k) asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%2,%3,%4};" :: "r"(own + 32768 + (k & 3) * 8192), "r"(i), "r"(at), "r"(at), "r"(i) : "memory");
#define cg16(k) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(own + 65536 + k * 8192), "l"(base + at + k * 8192) : "memory");
#define ca16(k) asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(own + 65536 + k * 8192), "l"(base + at + k * 8192) : "memory");
#define ca4(k) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(word + 65536 + k * 8192), "l"(base + at / 4 + k * 2048) : "memory");
#define zero16(k) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, 0;" :: "r"(own + 65536 + k * 8192), "l"(base + at + k * 8192) : "memory");
#define half16(k) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(own + 65536 + k * 8192), "l"(base + at + k * 8192), "r"(threadIdx.x & 16) : "memory");
#define zero4(k) asm volatile("cp.async.ca.shared.global [%0], [%1], 4, 0;" :: "r"(word + 65536 + k * 8192), "l"(base + at + k * 8192) : "memory");
#define ldg128(k) asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(w[4 * (k & 3)]), "=r"(w[4 * (k & 3) + 1]), "=r"(w[4 * (k & 3) + 2]), "=r"(w[4 * (k & 3) + 3]) : "l"(base + at + k * 8192) : "memory");
#define commit(k) asm volatile("cp.async.commit_group;" ::: "memory");
#define bar(k) asm volatile("bar.sync %0, 128;" :: "r"((threadIdx.x >> 7) + 1) : "memory");

#define TURNS(A, B, E)                                                                                                \
    KERNEL turns_##A##_##B##_##E(Record* out, int n, char* base, u32 region) {                                        \
        u32 own = (u32)__cvta_generic_to_shared(pool) + threadIdx.x * 16, s = 0, step = blockDim.x * 16 * 8;          \
        u32 word = (u32)__cvta_generic_to_shared(pool) + threadIdx.x * 4, at = threadIdx.x * 16, v[16], w[16];        \
        _Pragma("unroll") for (int k = 0; k < 16; k++) v[k] = w[k] = 0;                                               \
        __syncthreads();                                                                                              \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            _Pragma("unroll") for (int k = 0; k < 8; k++) {                                                           \
                A(k)                                                                                                  \
                if (E && k % (8 / (E + !E)) == 0) { B(k) }                                                            \
            }                                                                                                         \
            at = (at + step) & (region - 1);                                                                          \
            _Pragma("unroll") for (int k = 0; k < 16; k++) s ^= v[k] ^ w[k];                                          \
        }                                                                                                             \
        asm volatile("cp.async.wait_all;" ::: "memory");                                                              \
        leave(out, start, s);                                                                                         \
    }
#define BOTH(A, B) TURNS(A, B, 4) TURNS(A, B, 8)
#define ALL(A)                                                                                                        \
    TURNS(A, commit, 0)                                                                                               \
    BOTH(A, commit) BOTH(A, cg16) BOTH(A, ca16) BOTH(A, ca4) BOTH(A, zero16) BOTH(A, half16) BOTH(A, zero4)           \
    BOTH(A, ldg128) BOTH(A, bar)
ALL(lds32)
ALL(lds128)
ALL(sts128)
