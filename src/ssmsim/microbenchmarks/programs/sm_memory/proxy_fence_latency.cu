// A fence between stores to shared memory and the tensor cores' own view of it, then a barrier.
#include "common.cuh"
extern __shared__ char pool[];

#define BAR __syncthreads();
#define VIEW asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#define MEMBAR asm volatile("fence.acq_rel.cta;" ::: "memory");
#define ONE(k) asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%1,%1,%1};" :: "r"(own + k * 512), "r"(n) : "memory");
#define BANK(k) asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(bank + k * 4), "r"(n) : "memory");
#define LOAD(k) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[k]) : "r"(bank + k * 4) : "memory");
#define STORE(k) asm volatile("st.global.u32 [%0], %1;" :: "l"(base + k * 65536 + threadIdx.x * 4), "r"(n) : "memory");
#define COPY(k) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(own + k * 512), "l"(base + ((at + k * 65536) & (region - 1)) + threadIdx.x * 16) : "memory");
#define WORD(k) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(own + k * 512), "l"(base + ((at + k * 65536) & (region - 1)) + threadIdx.x * 4) : "memory");
#define FETCH(k) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[k]) : "l"(base + ((at + k * 65536) & (region - 1)) + threadIdx.x * 4) : "memory");
#define COMMIT asm volatile("cp.async.commit_group; cp.async.wait_group 2;" ::: "memory");
#define NOTHING

#define PROXY(name, BEFORE, FENCE, AFTER)                                                                              \
    KERNEL proxy_##name(Record* out, int n, char* base, u32 region) {                                                  \
        u32 to = (u32)__cvta_generic_to_shared(pool), at = 0, v[8] = {};                                               \
        u32 own = to + (threadIdx.x >> 5) * 4096 + (threadIdx.x & 31) * 16, bank = to + (threadIdx.x & 31) * 128;      \
        __syncthreads();                                                                                               \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) { BEFORE FENCE BAR AFTER at += 8192; }                         \
        asm volatile("cp.async.wait_group 0;" ::: "memory");                                                           \
        leave(out, start, at + own + bank + v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7]);                    \
    }
#define WAYS(name, BEFORE, AFTER)                                                                                      \
    PROXY(name##_bar, BEFORE, , AFTER) PROXY(name##_membar, BEFORE, MEMBAR, AFTER)                                     \
    PROXY(name##_view, BEFORE, VIEW, AFTER) PROXY(name##_both, BEFORE, MEMBAR VIEW, AFTER)
WAYS(none, , )
WAYS(sts1, ONE(0), )
WAYS(sts4, ONE(0) ONE(1) ONE(2) ONE(3), )
WAYS(bank1, BANK(0), )
WAYS(bank4, BANK(0) BANK(1) BANK(2) BANK(3), )
WAYS(lds4, LOAD(0) LOAD(1) LOAD(2) LOAD(3), )
WAYS(stg, STORE(0), )
WAYS(copy, COPY(0) COPY(1), COMMIT)
WAYS(word, WORD(0) WORD(1), COMMIT)
WAYS(fetch, FETCH(0), )
