// Series of short dependent chains, as a scan's decay is worked out: clamp, scale, guard against underflow, exp2, square what was
// halved; and loads behind guards of their own. Several warps of each sub-core do the same.
#include "common.cuh"

__device__ __forceinline__ float decay(float a, float b) { return exp2f(fminf(a - b, 0.0f) * 1.442695041f); }

#define EXPS(count)                                                                                                    \
    KERNEL exps_##count(Record* out, int n, float a) {                                                                 \
        float x[count], y = a * (threadIdx.x & 31);                                                                    \
        _Pragma("unroll") for (int k = 0; k < count; k++) x[k] = a + k;                                                \
        __syncthreads();                                                                                               \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            _Pragma("unroll") for (int k = 0; k < count; k++) x[k] = decay(x[k], y);                                   \
        }                                                                                                              \
        float sum = 0;                                                                                                 \
        _Pragma("unroll") for (int k = 0; k < count; k++) sum += x[k];                                                 \
        leave(out, start, (u32)sum);                                                                                   \
    }
EXPS(1) EXPS(4) EXPS(16)

// Each load asks whether its place lies within the limit that it is given.
#define GUARDS(name, T, ADD)                                                                                           \
    KERNEL guards_##name(Record* out, int n, const T* __restrict__ data, int a, int b, int c, int d) {                 \
        int at = threadIdx.x & 31;                                                                                     \
        float sum = 0;                                                                                                 \
        __syncthreads();                                                                                               \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            T u = {}, v = {}, w = {}, x = {};                                                                          \
            if (at + i < a) u = data[at];                                                                              \
            if (at + i < b) v = data[at + 32];                                                                         \
            if (at + i < c) w = data[at + 64];                                                                         \
            if (at + i < d) x = data[at + 96];                                                                         \
            ADD(u) ADD(v) ADD(w) ADD(x)                                                                                \
        }                                                                                                              \
        leave(out, start, (u32)sum);                                                                                   \
    }
#define ONE(u) asm volatile("add.f32 %0, %0, %1;" : "+f"(sum) : "f"(u));
#define TWO(u) asm volatile("add.f32 %0, %0, %1;" : "+f"(sum) : "f"(u.x + u.y));
GUARDS(4, float, ONE) GUARDS(8, float2, TWO)
