// Fences with something on its way: how long a fence lasts, and what it waits for. Every access is to a fresh line in L2.
#include "lines.cuh"
#include "memory.cuh"
#include "sweep.cuh"
extern __shared__ char pool[];

#define COPY16(to, from) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(from) : "memory")
#define WAIT_COPIES asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory")
#define RED(at) asm volatile("red.global.add.f32 [%0], %1;" :: "l"(at), "f"(1.0f) : "memory")

// One round: BEFORE, the fence, AFTER. `at` is this lane's address, `to` its place in shared memory.
#define ROUND(name, FENCE, BEFORE, AFTER)                                                                              \
    KERNEL name(Record* out, int n, char* base, u32 region) {                                                          \
        u32 to = (u32)__cvta_generic_to_shared(pool) + threadIdx.x * 16, offset = 0, sum = 0;                          \
        u32 first = (blockIdx.x * blockDim.x + threadIdx.x) * 16, step = gridDim.x * blockDim.x * 16;                  \
        __syncthreads();                                                                                               \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            char* at = base + ((first + offset) & (region - 1));                                                       \
            u32 v = 0;                                                                                                 \
            BEFORE;                                                                                                    \
            asm volatile(FENCE ::: "memory");                                                                          \
            AFTER;                                                                                                     \
            sum ^= v; offset += step;                                                                                  \
        }                                                                                                              \
        leave(out, start, sum ^ to);                                                                                   \
    }
#define ALL(kind, FENCE)                                                                                               \
    ROUND(kind##_none, FENCE, , )                                                                                      \
    ROUND(kind##_load, FENCE, v = load_l2(W4(), at), asm volatile("" :: "r"(v)))                                       \
    ROUND(kind##_copy, FENCE, COPY16(to, at), WAIT_COPIES)                                                             \
    ROUND(kind##_store, FENCE, store_global(W4(), at, offset), )                                                       \
    ROUND(kind##_red, FENCE, RED(at), )
ALL(sc, "fence.sc.gpu;")
ALL(acqrel, "fence.acq_rel.gpu;")
ALL(cta, "fence.acq_rel.cta;")

// Each warp of a block stores 32 pieces of sizeof(T) bytes twice, `stride` bytes apart and to lines of its own, then warp 0
// fences for all.
#define PARTS(name, T)                                                                                                 \
    KERNEL parts_##name(Record* out, int n, char* base, u32 stride, u32 mask) {                                        \
        u32 lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;                              \
        u32 at = warp * 64 * stride, step = (gridDim.x * blockDim.x >> 5) * 64 * stride;                               \
        __syncthreads();                                                                                               \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            store_global(T(), base + (at & mask) + lane * stride, i);                                                  \
            store_global(T(), base + (at + 32 * stride & mask) + lane * stride, i);                                    \
            __syncthreads();                                                                                           \
            if (threadIdx.x < 32) asm volatile("fence.acq_rel.gpu;" ::: "memory");                                     \
            __syncthreads();                                                                                           \
            at += step;                                                                                                \
        }                                                                                                              \
        leave(out, start, at);                                                                                         \
    }
PARTS(4, W1)
PARTS(16, W4)

// Warp 0 makes FENCES fences, `wait` cycles after the start; the others access a line of their own every `gap` cycles for
// `span` cycles. All clocks are those of one SM.
#define FENCES 6
struct Times { u64 fence[FENCES]; };
#define BESIDE(name, ACCESS)                                                                                           \
    KERNEL beside_##name(Times* out, char* base, u32 gap, u32 span, u32 wait, u32 own, Sms sms) {                      \
        if (!chosen(sms)) return;                                                                                      \
        u32 w = threadIdx.x >> 5, warps = blockDim.x >> 5, v = 0;                                                      \
        char* at = base + (u64)(blockIdx.x * warps + w) * 32768 + (threadIdx.x & 31) * 16;                             \
        u64 start = now(), next = start + gap * w / warps;                                                             \
        Times t = {};                                                                                                  \
        if (w) {                                                                                                       \
            for (u32 i = 0; now() < start + span; i++) {                                                               \
                while (now() < next) {}                                                                                \
                next += gap;                                                                                           \
                ACCESS(at + (i & 63) * 512);                                                                           \
                if (v == 0x9e3779b9u) return;                                                                          \
            }                                                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        while (now() < start + wait) {}                                                                                \
        for (int k = 0; k < FENCES; k++) {                                                                             \
            if (own) store_global(W4(), at + k * 512, k);                                                              \
            u64 before = now();                                                                                        \
            asm volatile("fence.acq_rel.gpu;" ::: "memory");                                                           \
            t.fence[k] = now() - before;                                                                               \
        }                                                                                                              \
        if ((threadIdx.x & 31) == 0) out[blockIdx.x] = t;                                                              \
    }
#define STORE(at) store_global(W4(), at, v)
#define LOAD(at) v = load_l2(W4(), at)
BESIDE(store, STORE)
BESIDE(load, LOAD)
BESIDE(red, RED)

// Warps 0 and 1 fence `wait` cycles after the start, warp 1 another `later`; own: warp 1 stores just before. Cycles from
// `wait` to the end of each fence.
struct Ends { u64 end[2]; };
KERNEL together(Ends* out, char* base, u32 later, u32 wait, u32 own, Sms sms) {
    if (!chosen(sms)) return;
    u32 w = threadIdx.x >> 5;
    char* at = base + (blockIdx.x * 2 + w) * 1024 + (threadIdx.x & 31) * 16;
    u64 start = now() + wait;
    store_global(W4(), at, w);
    while (now() < start + w * later) {}
    if (w && own) store_global(W4(), at + 512, w);
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    u64 end = now() - start;
    if ((threadIdx.x & 31) == 0) out[blockIdx.x].end[w] = end;
}

// Fences of one warp, each after an access to one page: store, load, store to two pages of both partitions, red, none.
// far: cycles of an atomic to each page, by which the two partitions are told apart.
enum Access { NOTHING, STORE_ONE, LOAD_ONE, STORE_BOTH, RED_ONE };
KERNEL sides(u32* cycles, u32* far, char* base, int pages, u32 access, u32 wait, u32 zero, Sms sms) {
    extern __shared__ u32 t[];
    if (!chosen(sms)) return;
    u32 l = threadIdx.x, v = 0;
    for (int i = 0; i < 2 * pages; i++) {
        char* p = base + (u64)(i % pages) * 4096 + l * 4;
        u64 before = now();
        asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(v) : "l"(p + ((u32)before & zero)) : "memory");
        if (v == 0x9e3779b9u) return;
        t[i % pages] = (u32)(now() - before);
    }
    __syncwarp();
    for (int i = l; i < pages; i += 32) far[i] = t[i];
    for (int i = 0; i < 2 * pages; i++) {
        char* p = base + (u64)(i % pages) * 4096 + l * 4;
        asm volatile("fence.acq_rel.gpu;\n fence.acq_rel.gpu;" ::: "memory");
        u64 until = now() + 1000;
        while (now() < until) {}
        if (access == STORE_ONE) store_global(W1(), p, i);
        if (access == LOAD_ONE) v = load_l2(W1(), p);
        if (access == STORE_BOTH) store_global(W1(), p, i), store_global(W1(), (char*)((u64)p ^ 4096), i);
        if (access == RED_ONE) asm volatile("red.global.add.u32 [%0], 0;" :: "l"(p) : "memory");
        if (v == 0x9e3779b9u) return;
        until = now() + wait;
        while (now() < until) {}
        u64 before = now();
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        t[i % pages] = (u32)(now() - before);
    }
    __syncwarp();
    for (int i = l; i < pages; i += 32) cycles[i] = t[i];
}
