// Control flow, calls, barriers, memories and lane exchange, for tests/golden/test_control_flow.py.
// nvcc -arch=sm_90 -cubin -o control.cubin control.cu
#include <cstdint>

__device__ __noinline__ int collatz(int a, int limit) {
    int steps = 0;
    while (a > 1 && steps < limit) { a = a & 1 ? 3 * a + 1 : a / 2; steps++; }
    return steps;
}
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__constant__ int table_[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__device__ int thread() {
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    return block * blockDim.x * blockDim.y * blockDim.z + threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

extern "C" __global__ void calls(int *out, int n) {
    int i = thread(), v = i % 3 == 0 ? collatz(i, n) : collatz(i + 5, 7);
    out[i] = v + table_[i & 15];
}
extern "C" __global__ void recursion(int *out) { out[thread()] = fib(threadIdx.x % 9); }
extern "C" __global__ void jumps(int *out, int n) {
    int i = thread(), v = 5 * i;
    switch (i % 11) {
        case 0: v += 3; break;
        case 1: v *= 7; break;
        case 2: v ^= 12345;
        case 3: v = v / 3; break;
        case 4: v = v % 7; break;
        case 5: v = v << 3; break;
        case 6: v = __popc(v); break;
        case 7: v = __clz(v); break;
        case 8: v = __brev(v); break;
        case 9: v = __ffs(v); break;
        default: v = n;
    }
    out[i] = v;
}
extern "C" __global__ void loops(int *out, int n) {
    int i = thread(), s = 0;
    for (int a = 0; a < i % 13; a++) {
        if (a == n) continue;
        for (int b = a; b < 9; b++) {
            if ((a * b + i) % 7 == 6) break;
            s += b;
            if (s > 500) return;
        }
        s = 3 * s + 1 & 1023;
    }
    out[i] = s;
}
extern "C" __global__ void exchange(unsigned *out, int n) {
    int i = thread(), lane = threadIdx.x & 31;
    unsigned v = i * 2654435761u;
    v ^= __shfl_xor_sync(~0u, v, 5) + __shfl_down_sync(~0u, v, 3, 16) + __shfl_up_sync(~0u, v, 2) + __shfl_sync(~0u, v, n & 31);
    v += __ballot_sync(~0u, i % 3 == 0) + __reduce_add_sync(~0u, (unsigned)i) + __match_any_sync(~0u, i % 5);
    v += __any_sync(~0u, i == n) + 2 * __all_sync(~0u, i >= 0);
    if (lane % 2) v += __popc(__activemask());
    __syncwarp();
    out[i] = v;
}
extern "C" __global__ void meeting(int *out, int n) {
    __shared__ int slot[256];
    int t = threadIdx.x;
    int count = __syncthreads_count(t % 3 == 0), all = __syncthreads_and(t < 1000), any = __syncthreads_or(t == n);
    for (int step = 1; step < 8; step *= 2) {
        slot[t] = count + t * step;
        __syncthreads();
        count += slot[(t + step) % blockDim.x];
        __syncthreads();
    }
    if (t < 64) asm volatile("bar.sync 1, 64;");
    else asm volatile("bar.sync 2;" ::: "memory");
    out[thread()] = count + all + 2 * any;
}
extern "C" __global__ void anywhere(int *out, const int *in, int n) {
    __shared__ int near_[64];
    int own[8], t = threadIdx.x;
    for (int k = 0; k < 8; k++) own[k] = k * n + t;
    near_[t & 63] = t;
    __syncthreads();
    const int *p = t % 3 == 0 ? near_ : t % 3 == 1 ? in : own;
    out[thread()] = p[t & 7] + own[(t + n) & 7];
}
extern "C" __global__ void atomics(int *out, unsigned long long *wide, float *sum) {
    __shared__ int bin[8];
    int t = threadIdx.x;
    if (t < 8) bin[t] = 0;
    __syncthreads();
    atomicAdd(&bin[t % 5], t);
    atomicCAS(&bin[5 + t % 3], 0, t + 1);
    atomicMax(out + 32, thread());
    atomicOr(out + 33, 1 << t % 7);
    atomicAdd(wide, 1ull << 30);
    atomicAdd(sum, 0.5f);
    __syncthreads();
    if (t < 8) atomicAdd(out + t, bin[t] != 0);
    if (t < 5) atomicAdd(out + 8 + t, bin[t]);
}
extern "C" __global__ void copies(float *out, const float4 *in, int n) {
    __shared__ float4 tile[128];
    int t = threadIdx.x;
    unsigned place = __cvta_generic_to_shared(&tile[t]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2; cp.async.commit_group; cp.async.wait_group 0;"
                 ::"r"(place), "l"(in + t), "r"(t < n ? 16 : t % 4 * 4) : "memory");
    __syncthreads();
    float4 v = tile[t ^ 1];
    out[thread()] = v.x + 10 * v.y + 100 * v.z + 1000 * v.w;
}
extern "C" __global__ void divisions(long long *out, long long a, int b) {
    int i = thread();
    long long d = i - 40;
    if (d == 0) d = 9;
    out[4 * i] = a / d;
    out[4 * i + 1] = a % d;
    out[4 * i + 2] = (unsigned long long)a / (unsigned)(b + i) + (b - 7 * i) / (i + 1);
    out[4 * i + 3] = (a * d >> (i & 31)) + ((unsigned long long)a << (i & 63)) + (a > d ? 1 : 0) + __mul64hi(a, d);
}
extern "C" __global__ void pointers(void (**unused)(int *), int *out, int n) {
    void (*f)(int *) = n > 3 ? [](int *o) { *o = 1; } : [](int *o) { *o = 2; };
    if (threadIdx.x & 1) f = [](int *o) { *o = 5; };
    f(out + thread());
}
extern "C" __global__ void endless(int *out, int n) {
    int i = 0;
    while (i != n) { i += 2; if (out[0] == 77) break; }
    out[1] = i;
}
extern "C" __global__ void forsaken(int *out) {
    if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;");
    out[threadIdx.x] = 1;
}
extern "C" __global__ void chase(int *out, const int *next, int n) {
    int at = threadIdx.x;
    for (int k = 0; k < n; k++) at = next[at];
    out[thread()] = at;
}
extern "C" __global__ void relay(float *out, const float *in, int n) {
    __shared__ int place[96];
    __shared__ float value[96];
    int t = threadIdx.x, b = blockIdx.x;
    value[t] = in[t] * 3.0f;
    place[t] = t ^ 1;
    __syncthreads();
    if (b == n) place[95 - t] = t;  // a store that the first block never makes
    __syncthreads();
    out[96 * b + place[t]] = value[95 - t];
}
