// How many copies an SM has on their way: how long a load from shared memory waits behind K of them per warp.
#include "sweep.cuh"
extern __shared__ u32 pool[];

#define ROOM 24576  // bytes of shared memory of each warp
#define STEP 32768  // bytes of global memory from warp to warp
#define MUL asm volatile("mul.f32 %0, %0, %1;" : "+f"(f) : "f"(1.0001f));
#define PENDING(name, K, first, body)                                                                                  \
    KERNEL pending_##name##_##K(Record* out, int n, char* base, u32 mask, char* near) {                                \
        u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, at = 0;                                                  \
        u32 own = (u32)__cvta_generic_to_shared(pool) + lane * 4, to = own - lane * 4 + warp * ROOM;                   \
        float f = 1.f + lane;                                                                                          \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            char *all = base + (at & mask), *from = base + ((at + warp * STEP) & mask) + lane * 16;                    \
            char* close = near + (i & 31) * 4096 + lane / 4 * 4;                                                       \
            __syncthreads();                                                                                           \
            first                                                                                                      \
            _Pragma("unroll") for (int k = 0; k < K; k++) { body }                                                     \
            float l; asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(l) : "r"(own) : "memory");                 \
            f += l;                                                                                                    \
            _Pragma("unroll 1") for (int j = 0; j < 15; j++) { TIMES64(MUL) }                                          \
            asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");                                \
            at += blockDim.x / 32 * STEP;                                                                              \
        }                                                                                                              \
        leave(out, start, (u32)f);                                                                                     \
    }
#define COPY(kind, width, to, from) \
    asm volatile("cp.async." kind ".shared.global [%0], [%1], " width ";" :: "r"(to), "l"(from) : "memory");
#define CG16(n) COPY("cg", "16", to + lane * 16 + 4096 + (n) % 40 * 512, from + k * 512)
#define CA4_ALL COPY("ca", "4", to + lane / 4 * 4 + k * 32, all + lane / 4 * 4 + k * 32)
#define CA16_ALL COPY("ca", "16", to + lane * 16 + k % 48 * 512, all + lane * 16 + k % 16 * 512)
#define FAR COPY("cg", "16", to + lane * 16 + 24064, from)
#define HIT COPY("ca", "4", to + lane * 4 + k * 128, base + k % 8 * 128 + lane * 4)
#define CLOSE COPY("ca", "4", to + lane / 4 * 4 + k * 32, close + k * 32)
#define KINDS(K) PENDING(cg16, K, , CG16(k)) PENDING(ca4_all, K, , CA4_ALL) PENDING(ca16_all, K, , CA16_ALL) \
    PENDING(one_in_4, K, , if (k % 4) { CA4_ALL } else { CG16(k / 4) }) \
    PENDING(one_in_2, K, , if (k % 2 == 0) { CA4_ALL } else { CG16(k / 2) }) \
    PENDING(narrow, K, , if (k % 2 == 0) { CA4_ALL } else if (lane < 8) { CG16(k / 2) }) \
    PENDING(close_far, K, , if (k % 2) { CLOSE } else { CG16(k / 2) }) \
    PENDING(hit, K, , HIT) PENDING(hit_after_far, K, FAR, HIT)
KINDS(1) KINDS(16) KINDS(24) KINDS(32) KINDS(33) KINDS(35) KINDS(36) KINDS(39) KINDS(40) KINDS(41) KINDS(48) KINDS(64)
