// K accesses that are on in no lane, waited for: loads by what uses them, stores by MEMBAR, copies by DEPBAR.
#include "common.cuh"
extern __shared__ char pool[];

// `warps`: bit w set: warp w takes part. `never` is 0: the guard of every access.
#define OFF(name, count, access, behind)                                                                              \
    KERNEL off_##name##_##count(Record* out, int n, char* base, int never, u32 warps) {                               \
        if (!(warps >> (threadIdx.x >> 5) & 1)) return;                                                               \
        u32 own = (u32)__cvta_generic_to_shared(pool) + (threadIdx.x & 31) * 16, v[count][4] = {}, s = 0;                    \
        char* far = base + threadIdx.x * 16;                                                                          \
        u32 w = threadIdx.x, x = w * 3, y = w * 5, z = w * 7;                                                         \
        u64 start = now();                                                                                            \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                             \
            _Pragma("unroll") for (int k = 0; k < count; k++) { access }                                              \
            behind                                                                                                    \
        }                                                                                                             \
        leave(out, start, own + s + w + x + y + z);                                                                   \
    }
#define COUNTS(name, access, behind)                                                                                  \
    OFF(name, 1, access, behind) OFF(name, 4, access, behind) OFF(name, 16, access, behind)
#define GUARD "{.reg .pred p; setp.ne.u32 p, %0, 0; @p "
#define NEAR "r"(own + k * 512)
#define FAR "l"(far + k * 512)
#define V(j) "+r"(v[k][j])
#define USE _Pragma("unroll") for (auto& one : v) s ^= one[0] ^ one[1] ^ one[2] ^ one[3]; own += s; far += s;
#define MEMBAR asm volatile("fence.acq_rel.cta;" ::: "memory");
#define WAIT asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");

COUNTS(lds32, asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; @p ld.volatile.shared.u32 %0, [%2];}" : V(0) : "r"(never), NEAR);, USE)
COUNTS(lds128, asm volatile("{.reg .pred p; setp.ne.u32 p, %4, 0; @p ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%5];}"
                            : V(0), V(1), V(2), V(3) : "r"(never), NEAR);, USE)
COUNTS(ldsm4, asm volatile("{.reg .pred p; setp.ne.u32 p, %4, 0; @p ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%5];}"
                           : V(0), V(1), V(2), V(3) : "r"(never), NEAR : "memory");, USE)
COUNTS(ldg32, asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; @p ld.volatile.global.u32 %0, [%2];}" : V(0) : "r"(never), FAR);, USE)
COUNTS(ldg128, asm volatile("{.reg .pred p; setp.ne.u32 p, %4, 0; @p ld.volatile.global.v4.u32 {%0,%1,%2,%3}, [%5];}"
                            : V(0), V(1), V(2), V(3) : "r"(never), FAR);, USE)
COUNTS(sts32, asm volatile(GUARD "st.volatile.shared.u32 [%1], %2;}" :: "r"(never), NEAR, "r"(w) : "memory");, MEMBAR)
COUNTS(sts128, asm volatile(GUARD "st.volatile.shared.v4.u32 [%1], {%2,%3,%4,%5};}"
                            :: "r"(never), NEAR, "r"(w), "r"(x), "r"(y), "r"(z) : "memory");, MEMBAR)
COUNTS(stg32, asm volatile(GUARD "st.volatile.global.u32 [%1], %2;}" :: "r"(never), FAR, "r"(w) : "memory");, MEMBAR)
COUNTS(stg128, asm volatile(GUARD "st.volatile.global.v4.u32 [%1], {%2,%3,%4,%5};}"
                            :: "r"(never), FAR, "r"(w), "r"(x), "r"(y), "r"(z) : "memory");, MEMBAR)
COUNTS(ca4, asm volatile(GUARD "cp.async.ca.shared.global [%1], [%2], 4;}" :: "r"(never), NEAR, FAR : "memory");, WAIT)
COUNTS(ca16, asm volatile(GUARD "cp.async.ca.shared.global [%1], [%2], 16;}" :: "r"(never), NEAR, FAR : "memory");, WAIT)
COUNTS(cg16, asm volatile(GUARD "cp.async.cg.shared.global [%1], [%2], 16;}" :: "r"(never), NEAR, FAR : "memory");, WAIT)
OFF(none, 1, ;, MEMBAR)
