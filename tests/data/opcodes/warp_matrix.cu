// Matrix instructions of one warp on fragments given lane by lane: in[r * 32 + lane], out likewise. See test_matrix.py.
typedef unsigned u32;
#define IN(r) in[(r) * 32 + threadIdx.x]
#define OUT(r) out[(r) * 32 + threadIdx.x]
#define MMA4(name, text)                                                                                              \
    extern "C" __global__ void name(const u32 *in, u32 *out) {                                                        \
        u32 d0, d1, d2, d3;                                                                                           \
        asm volatile(text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"                                \
                     : "=r"(d0), "=r"(d1), "=r"(d2), "=r"(d3)                                                         \
                     : "r"(IN(0)), "r"(IN(1)), "r"(IN(2)), "r"(IN(3)), "r"(IN(4)), "r"(IN(5)), "r"(IN(6)),            \
                       "r"(IN(7)), "r"(IN(8)), "r"(IN(9)));                                                           \
        OUT(0) = d0; OUT(1) = d1; OUT(2) = d2; OUT(3) = d3;                                                           \
    }
#define MMA2(name, text)                                                                                              \
    extern "C" __global__ void name(const u32 *in, u32 *out) {                                                        \
        u32 d0, d1, d2, d3;                                                                                           \
        asm volatile(text " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"                                            \
                     : "=r"(d0), "=r"(d1), "=r"(d2), "=r"(d3)                                                         \
                     : "r"(IN(0)), "r"(IN(1)), "r"(IN(4)), "r"(IN(6)), "r"(IN(7)), "r"(IN(8)), "r"(IN(9)));           \
        OUT(0) = d0; OUT(1) = d1; OUT(2) = d2; OUT(3) = d3;                                                           \
    }
MMA4(mma_16816_f16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
MMA4(mma_16816_bf16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
MMA4(mma_1688_tf32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
MMA2(mma_1688_f16, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32")
MMA2(mma_1688_bf16, "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32")
MMA2(mma_1684_tf32, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32")

extern "C" __global__ void mma_16816_half(const u32 *in, u32 *out) {
    u32 d0, d1;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"
                 : "=r"(d0), "=r"(d1)
                 : "r"(IN(0)), "r"(IN(1)), "r"(IN(2)), "r"(IN(3)), "r"(IN(4)), "r"(IN(5)), "r"(IN(6)), "r"(IN(7)));
    OUT(0) = d0; OUT(1) = d1;
}

#define TILES(name, count, modifier, outputs, ...)                                                                    \
    extern "C" __global__ void name(const u32 *in, u32 *out) {                                                        \
        __shared__ __align__(16) u32 tile[128];                                                                       \
        for (int r = 0; r < 4; r++) tile[r * 32 + threadIdx.x] = IN(r);                                               \
        __syncwarp();                                                                                                 \
        u32 d[4] = {0, 0, 0, 0}, row = (u32)__cvta_generic_to_shared(tile) + 16 * threadIdx.x;                        \
        asm volatile("ldmatrix.sync.aligned.m8n8." count modifier ".shared.b16 " outputs ", [%4];"                    \
                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(row) : "memory");                         \
        for (int r = 0; r < 4; r++) OUT(r) = d[r];                                                                    \
    }
TILES(ldsm_1, "x1", "", "{%0}")
TILES(ldsm_2, "x2", "", "{%0,%1}")
TILES(ldsm_4, "x4", "", "{%0,%1,%2,%3}")
TILES(ldsm_1t, "x1", ".trans", "{%0}")
TILES(ldsm_4t, "x4", ".trans", "{%0,%1,%2,%3}")

#define STORES(name, text)                                                                                            \
    extern "C" __global__ void name(const u32 *in, u32 *out) {                                                        \
        __shared__ __align__(16) u32 tile[128];                                                                       \
        for (int r = 0; r < 4; r++) tile[r * 32 + threadIdx.x] = 0;                                                   \
        __syncwarp();                                                                                                 \
        u32 row = (u32)__cvta_generic_to_shared(tile) + 16 * threadIdx.x;                                             \
        asm volatile(text :: "r"(row), "r"(IN(0)), "r"(IN(1)), "r"(IN(2)), "r"(IN(3)) : "memory");                    \
        __syncwarp();                                                                                                 \
        for (int r = 0; r < 4; r++) OUT(r) = tile[r * 32 + threadIdx.x];                                              \
    }
STORES(stsm_1, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};")
STORES(stsm_2t, "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};")
STORES(stsm_4, "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};")

extern "C" __global__ void movm(const u32 *in, u32 *out) {
    for (int r = 0; r < 4; r++) {
        u32 d;
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(IN(r)));
        OUT(r) = d;
    }
}
