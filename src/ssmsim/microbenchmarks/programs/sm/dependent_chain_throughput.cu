// Series of short dependent chains, as a scan's decay is worked out: clamp, scale, guard against underflow, exp2, square what was
// halved. Several warps of each sub-core do the same.
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
