// A slow memory instruction, then a chain of fast ones, by the same warp or by another.
#include "memory.cuh"
#include "reads.cuh"
#include "sweep.cuh"

extern __shared__ __align__(16) char pool[];

struct Ldg { static __device__ u32 go(char* p, u32) { return load_l2(W1(), p); } };
struct Hit { static __device__ u32 go(char* p, u32) { return load_global(W1(), p); } };
struct Nc {
    static __device__ u32 go(char* p, u32) {
        u32 v;
        asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
        return v;
    }
};
struct Atom {
    static __device__ u32 go(char* p, u32) {
        u32 v;
        asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(v) : "l"(p) : "memory");
        return v;
    }
};
struct Lds { static __device__ u32 go(char*, u32 at) { return load_shared(W1(), (void*)__cvta_shared_to_generic(at)); } };
struct Copy {  // waits for all copies of the warp
    static __device__ u32 go(char* p, u32 at) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n cp.async.wait_all;" :: "r"(at), "l"(p) : "memory");
        return load_shared(W1(), (void*)__cvta_shared_to_generic(at));
    }
};
struct Later {  // a copy that nothing waits for before the end of the round
    static __device__ u32 go(char* p, u32 at) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at), "l"(p) : "memory");
        return 0;
    }
};
struct None { static __device__ u32 go(char*, u32) { return 0; } };

// cold: places that are in no cache, one a round; hot: 8 KB that are. OTHER: the slow ones are another warp's. Barriers
// keep the compiler from moving instructions of the one kind past those of the other.
#define ORDER(slow, fast, CHAIN, OTHER)                                                                                \
    KERNEL order_##slow##_##fast##_##OTHER(Record* out, int n, char* cold, u64 mask, char* hot) {                      \
        u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, at = (u32)__cvta_generic_to_shared(pool) + lane * 4;     \
        u32 v = load_global(W1(), hot + 8192 + lane * 4), s = 0;                                                       \
        __syncthreads();                                                                                               \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            char* q = hot + lane * 4;  /* of two pages each L2 partition has one */                                    \
            u32 w = 0;                                                                                                 \
            __syncthreads();                                                                                           \
            asm volatile("cp.async.wait_all;" ::: "memory");                                                           \
            if (OTHER == 0 || warp == OTHER) w = slow::go(cold + (mix(i + 1) * 128 & mask) + lane * 4, at + 2048);     \
            if (OTHER == 0) __syncthreads();                                                                           \
            if (OTHER == 0 || warp == 0)                                                                               \
                _Pragma("unroll") for (int k = 0; k < CHAIN; k++) v = fast::go(q + k % 2 * 4096 + k * 128 + v, at + v);\
            s ^= w;                                                                                                    \
        }                                                                                                              \
        leave(out, start, s ^ v);                                                                                      \
    }
ORDER(None, Ldg, 4, 0)
ORDER(None, Nc, 4, 0)
ORDER(None, Lds, 16, 0)
ORDER(None, Hit, 16, 0)
ORDER(None, Copy, 4, 0)
ORDER(None, Atom, 4, 0)
ORDER(Ldg, None, 1, 0)
ORDER(Ldg, Ldg, 4, 0)
ORDER(Ldg, Ldg, 4, 1)
ORDER(Ldg, Ldg, 4, 4)
ORDER(Ldg, Nc, 4, 0)
ORDER(Ldg, Atom, 4, 0)
ORDER(Ldg, Copy, 4, 0)
ORDER(Ldg, Hit, 16, 0)
ORDER(Ldg, Lds, 16, 0)
ORDER(Later, None, 1, 0)
ORDER(Later, Ldg, 4, 0)
ORDER(Later, Ldg, 4, 4)
ORDER(Later, Atom, 4, 0)
ORDER(Later, Hit, 16, 0)
ORDER(Atom, None, 1, 0)
ORDER(Atom, Ldg, 4, 0)
ORDER(Atom, Atom, 4, 0)
ORDER(Atom, Copy, 4, 0)
