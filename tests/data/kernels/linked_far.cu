// See linked.cu.
__device__ int far[8] = {1, 2};
__constant__ int cfar[4] = {4, 5};
__device__ __noinline__ float help(float x) { return x * x + 1; }
__device__ float poly(float x, int n) {
    for (int i = 0; i < n; i++) x = help(x);
    return x;
}
