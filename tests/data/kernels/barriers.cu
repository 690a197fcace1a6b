// nvcc -arch=sm_90a -cubin -O3 barriers.cu -o barriers.cubin
// Named barriers whose number, count or both come at run time.
extern "C" __global__ void pairs(int *out, int number, int threads) {
    number += threadIdx.x / 64;
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
    asm volatile("bar.sync %0, 64;" ::"r"(number) : "memory");
    asm volatile("bar.sync 9, %0;" ::"r"(2 * threads) : "memory");
    out[threadIdx.x] = number;
}
extern "C" __global__ void handover(int *out, int number, int threads) {  // half of the warps arrive, half wait
    if (threadIdx.x < 64) asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
    else asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
    out[threadIdx.x] = number;
}
extern "C" __global__ void votes(int *out, int number, int threads) {
    int count, any;
    asm volatile("{.reg .pred p, q; setp.ne.s32 q, %1, %2; barrier.cta.red.popc.u32 %0, %1, %2, q;}"
                 : "=r"(count) : "r"(number), "r"(threads));
    asm volatile("{.reg .pred p, q; setp.ne.s32 q, %1, %2; barrier.cta.red.or.pred p, %1, %2, q; selp.u32 %0, 1, 0, p;}"
                 : "=r"(any) : "r"(number + 1), "r"(threads));
    out[threadIdx.x] = count + any;
}
