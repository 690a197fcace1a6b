// nvcc -arch=sm_90a -cubin -O3 module.cu -o module.cubin
__device__ int dv = 3; __device__ int dz; __constant__ int ci[4] = {1,2,3,4}; __constant__ int cz[4];
__device__ const float ktab[4] = {1.f,2.f,3.f,4.f};
static __device__ const int lut[5] = {5,4,3,2,1};
__device__ int *ptr = &dv;
typedef int (*F)(int);
__device__ int fa(int x) { return x * 3; }
__device__ __noinline__ int fb(int x) { return x * x + 7; }
__device__ F tab[2] = {fa, fb};
struct A { virtual __device__ int f(int x) { return x; } }; struct B : A { __device__ int f(int x) override { return 2 * x; } };
extern "C" __global__ void funcs(int *out, int n) { F f = n ? fa : fb; if (n > 5) f = tab[threadIdx.x & 1]; out[threadIdx.x] = f(n) + *ptr; }
extern "C" __global__ void virt(int *out, int n) { A a; B b; A *p = (threadIdx.x & n) ? &a : &b; out[threadIdx.x] = p->f(n); }
extern "C" __global__ void vars(int *out, int n) { out[threadIdx.x] = ktab[n] + lut[n + threadIdx.x] + ci[n] + cz[n] + dv + dz; }
extern "C" __global__ void sinus(float *out) { out[threadIdx.x] = sinf(out[threadIdx.x]); }
extern "C" __global__ void localtab(int *out, int n) { const int t[8] = {3,1,4,1,5,9,2,6}; out[threadIdx.x] = t[n & 7]; }
extern "C" __global__ void sw(int *out, int n) { int r; switch (n) { case 0: r = out[5]; break; case 1: r = out[7] * 3; break; case 2: r = out[9] ^ 5; break; case 3: r = out[2] / 3; break; case 4: r = out[1] << 4; break; case 5: r = out[99]; break; case 6: r= out[44] % 9; break; default: r = 0;} out[threadIdx.x] = r; }
#include <cassert>
extern "C" __global__ void asserts(int *out, int n) { assert(n < 5); out[threadIdx.x] = n; }
