// Atomics: every lane of two warps updates one of a few cells of global and of shared memory. in[0..63]: values;
// out: for each operation eight cells, starting at in[64..71]. See tests/opcodes/test_atomic.py.
typedef unsigned u32;
typedef unsigned long long u64;
#define RED(k, type, reg, value)                                                                                      \
    asm volatile("red.global." type " [%0], %1;" ::"l"(out + 8 * (k) + cell), reg(value) : "memory");
extern "C" __global__ void warp_atomic(const u64 *in, u64 *out) {
    __shared__ u32 local[8];
    u32 t = threadIdx.x, cell = t % 8;
    u64 v = in[t];
    if (t < 8) {
        for (int k = 0; k < 20; k++) out[8 * k + t] = in[64 + t];
        local[t] = (u32)in[64 + t];
    }
    __syncthreads();
    RED(0, "add.u32", "r", (u32)v)
    RED(1, "min.s32", "r", (u32)v)
    RED(2, "max.s32", "r", (u32)v)
    RED(3, "min.u32", "r", (u32)v)
    RED(4, "and.b32", "r", (u32)v)
    RED(5, "or.b32", "r", (u32)v)
    RED(6, "xor.b32", "r", (u32)v)
    RED(7, "inc.u32", "r", (u32)v)
    RED(8, "dec.u32", "r", (u32)v)
    RED(9, "add.u64", "l", v)
    RED(10, "max.s64", "l", v)
    RED(11, "add.f32", "r", __float_as_uint((float)(int)(v % 64)))
    RED(12, "add.f64", "l", (u64)__double_as_longlong((double)(v % 64)))
    RED(13, "add.noftz.f16x2", "r", 0x3c004000u)
    RED(14, "add.noftz.bf16x2", "r", 0x3f804000u)
    if (t < 8) {
        u32 old = atomicExch((u32 *)(out + 8 * 15 + t), (u32)v), seen = atomicCAS((u32 *)(out + 8 * 16 + t), (u32)in[64 + t], (u32)v);
        atomicCAS((u32 *)(out + 8 * 17 + t), (u32)in[64 + t] + 1, (u32)v);
        out[8 * 18 + t] = (u64)old << 32 | seen;
    }
    atomicAdd(local + cell, (u32)v);
    __syncthreads();
    if (t < 8) out[8 * 19 + t] = local[t];
}
