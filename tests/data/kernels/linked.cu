// Device-linked from two files: nvcc -arch=sm_90a -rdc=true -c linked.cu linked_far.cu; nvcc -arch=sm_90a -dlink linked.o linked_far.o -cubin -o linked.cubin
// unlinked.cubin: nvcc -arch=sm_90a -rdc=true -cubin linked.cu -o unlinked.cubin
extern __device__ float poly(float x, int n);
__device__ int tabl[64]; extern __device__ int far[8]; extern __constant__ int cfar[4];
__device__ __noinline__ int loc(int x) { return tabl[x] + 3; }
typedef int (*F)(int); __device__ F fp = loc;
extern "C" __global__ void k1(float *out, int n) { out[threadIdx.x] = poly(n, n) + tabl[n] + far[n] + cfar[n] + fp(n); }
extern "C" __global__ void k2(float *out, int n) { out[threadIdx.x] = loc(n); }
