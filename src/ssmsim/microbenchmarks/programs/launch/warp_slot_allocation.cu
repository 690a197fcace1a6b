// Which warp slots (%warpid) the warps of successive blocks of an SM get. The slot modulo 4 is the sub-core.
#include "common.cuh"
extern __shared__ u32 pool[];

__device__ __forceinline__ u32 slot() { u32 w; asm volatile("mov.u32 %0, %%warpid;" : "=r"(w)); return w; }

// Warp 0 lives `first` cycles, the others `rest`, each and `spread` more at most by block; none waits for another.
KERNEL slots(Record* out, int first, int rest, int spread) {
    u64 start = now();
    u32 more = (blockIdx.x * 2654435761u >> 12) % (spread + 1);
    u32 hold = (threadIdx.x < 32 ? first : rest) + more;
    while (now() < start + hold) {}
    u64 end = now();
    if ((threadIdx.x & 31) == 0) { Record r = {start, end, 0, sm(), slot()}; out[(blockIdx.x * blockDim.x + threadIdx.x) >> 5] = r; }
}
