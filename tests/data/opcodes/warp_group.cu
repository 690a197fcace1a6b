#pragma nv_diag_suppress 550, 177  // each kernel uses one of A's two sources
// One warp-group matrix instruction: in = 8192 words of shared memory, 8 words of A and 8 of D for each thread;
// descriptors (less the address of shared memory) of A and B in `where`. See tests/opcodes/test_matrix.py.
typedef unsigned u32;
typedef unsigned long long u64;
#define LOAD                                                                                                          \
    __shared__ __align__(1024) u32 memory[8192];                                                                      \
    u32 t = threadIdx.x, a[4], d[8];                                                                                  \
    for (int i = t; i < 8192; i += 128) memory[i] = in[i];                                                            \
    for (int i = 0; i < 4; i++) a[i] = in[8192 + 8 * t + i];                                                          \
    for (int i = 0; i < 8; i++) d[i] = in[8192 + 1024 + 8 * t + i];                                                   \
    __syncthreads();                                                                                                  \
    u64 base = (u64)(__cvta_generic_to_shared(memory) & 0x3ffff) >> 4, da = where[0] + base, db = where[1] + base;    \
    u32 keep = (u32)where[2];                                                                                         \
    asm volatile("fence.proxy.async;" ::: "memory");                                                                  \
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#define STORE                                                                                                         \
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                                                    \
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");                                                    \
    for (int i = 0; i < 8; i++) out[8 * t + i] = d[i];
#define KERNEL(name) extern "C" __global__ void name(const u32 *in, const u64 *where, u32 *out)
#define D8 "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7])
#define SHARED(name, type, tail)                                                                                      \
    KERNEL(name) {                                                                                                    \
        LOAD asm volatile("{.reg .pred p; setp.ne.u32 p, %10, 0; wgmma.mma_async.sync.aligned." type                  \
                          " {%0,%1,%2,%3,%4,%5,%6,%7}, %8, %9, p, 1, 1" tail ";}"                                     \
                          : D8 : "l"(da), "l"(db), "r"(keep));                                                        \
        STORE                                                                                                         \
    }
#define REGISTERS(name, type, tail)                                                                                   \
    KERNEL(name) {                                                                                                    \
        LOAD asm volatile("{.reg .pred p; setp.ne.u32 p, %13, 0; wgmma.mma_async.sync.aligned." type                  \
                          " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11}, %12, p, 1, 1" tail ";}"                       \
                          : D8 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(db), "r"(keep));                     \
        STORE                                                                                                         \
    }
SHARED(bf16_nn, "m64n16k16.f32.bf16.bf16", ", 0, 0")
SHARED(bf16_tn, "m64n16k16.f32.bf16.bf16", ", 1, 0")
SHARED(bf16_nt, "m64n16k16.f32.bf16.bf16", ", 0, 1")
SHARED(bf16_tt, "m64n16k16.f32.bf16.bf16", ", 1, 1")
SHARED(f16_nn, "m64n16k16.f32.f16.f16", ", 0, 0")
SHARED(f16_tt, "m64n16k16.f32.f16.f16", ", 1, 1")
SHARED(tf32_nn, "m64n16k8.f32.tf32.tf32", "")
REGISTERS(bf16_rn, "m64n16k16.f32.bf16.bf16", ", 0")
REGISTERS(bf16_rt, "m64n16k16.f32.bf16.bf16", ", 1")
REGISTERS(tf32_rn, "m64n16k8.f32.tf32.tf32", "")
KERNEL(half_nn) {
    LOAD asm volatile("{.reg .pred p; setp.ne.u32 p, %6, 0; wgmma.mma_async.sync.aligned.m64n16k16.f16.f16.f16"
                      " {%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 0;}"
                      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "l"(da), "l"(db), "r"(keep));
    STORE
}
