// Pointer chases beyond L1: L2, DRAM, address translation. The ring is written on the device, so it may span gigabytes.
#include "common.cuh"
#include "sweep.cuh"

// Element i of a ring of `count` lies `stride` bytes after element i - 1 and points to element (i + jump) % count.
KERNEL ring(char* base, u64 stride, u64 count, u64 jump) {
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x)
        *(u64*)(base + i * stride) = (u64)(base + (i + jump) % count * stride);
}
KERNEL chase_l2(Record* out, int n, u64* first, int warm) {
    u64* p = first;
    for (int i = 0; i < warm; i++) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p));
    u64 start = now();
    _Pragma("unroll 1") for (int i = 0; i < n; i++) { TIMES16(asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p));) }
    leave(out, start, (u32)(u64)p);
}
