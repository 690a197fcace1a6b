// Refresh of DRAM as lone reads see it: reads of single lines, and of sets of lines at once.
#include "reads.cuh"
#include "sweep.cuh"

// One warp loads sets of up to 32 lines, a lane each, at random times, all dropped from L2 before: cycles until the
// last has come, [sets][tries]. The lines are `offsets`[sets][width] in units of 128 bytes.
KERNEL together(unsigned short* cycles, char* base, const int* offsets, int sets, int width, int tries, u32 zero) {
    int lane = threadIdx.x;
#pragma unroll 1
    for (int s = 0; s < sets; s++) {
        char* p = base + (u64)offsets[s * width + (lane < width ? lane : 0)] * 128;
#pragma unroll 1
        for (int t = 0; t < tries; t++) {
            u64 at = (u64)s * tries + t;
            drop(p);
            __syncwarp();
            spin(2000 + (mix(at) & 4095));
            u32 c = timed(p, zero);
            __syncwarp();
            if (lane == 0) cycles[at] = c;
        }
    }
}
