// Blocks that wait for each other or share out work. nvcc -cubin -arch=sm_90
typedef unsigned int u32; typedef unsigned long long u64;
extern "C" __global__ void tickets(u32 *counter, u32 *owner, int tiles) {   // persistent tiles
    __shared__ u32 tile;
    for (;;) {
        if (threadIdx.x == 0) tile = atomicAdd(counter, 1);
        __syncthreads();
        u32 t = tile;
        __syncthreads();
        if (t >= tiles) return;
        owner[t * blockDim.x + threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
    }
}
extern "C" __global__ void last_block(const u32 *in, u32 *part, u32 *count, u32 *out) {
    __shared__ bool last;
    u32 v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = v;
        __threadfence();
        last = atomicAdd(count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    if (threadIdx.x == 0) { u32 s = 0; for (int i = 0; i < gridDim.x; i++) s += ((volatile u32*)part)[i]; *out = s; *count = 0; }
}
extern "C" __global__ void handover(volatile u32 *flag, volatile u32 *value, u32 *out) {  // block 0 waits for the last block
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) { value[0] = 77; __threadfence(); flag[0] = 1; }
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) while (flag[0] == 0) {}
        __syncthreads();
        out[threadIdx.x] = value[0] + threadIdx.x;
    }
}
extern "C" __global__ void lock(u32 *lock, u32 *count) {
    if (threadIdx.x == 0) {
        u32 ns = 8;
        while (atomicCAS(lock, 0, 1) != 0) { __nanosleep(ns); if (ns < 256) ns *= 2; }
        ((volatile u32*)count)[0] += blockIdx.x + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}
extern "C" __global__ void lookback(const u32 *in, volatile u64 *status, u32 *out, u32 *ticket) {  // one value a thread, 64 threads
    __shared__ u32 sums[64]; __shared__ u32 before, tile_;
    if (threadIdx.x == 0) tile_ = atomicAdd(ticket, 1);
    __syncthreads();
    u32 tile = tile_;
    sums[threadIdx.x] = in[tile * 64 + threadIdx.x];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        u32 v = threadIdx.x >= d ? sums[threadIdx.x - d] : 0; __syncthreads();
        sums[threadIdx.x] += v; __syncthreads();
    }
    if (threadIdx.x == 0) {
        u64 total = sums[63];
        u32 run = 0;
        if (tile) {
            status[tile] = 1ull << 32 | total;
            for (int k = tile - 1;; k--) {
                u64 s;
                while ((s = status[k]) >> 32 == 0) __nanosleep(40);
                run += (u32)s;
                if (s >> 32 == 2) break;
            }
        }
        status[tile] = 2ull << 32 | (run + total);
        before = run;
    }
    __syncthreads();
    out[tile * 64 + threadIdx.x] = before + sums[threadIdx.x];
}
extern "C" __global__ void grid_barrier(u32 *arrived, u32 *data, u32 *out, int rounds) {
    for (int r = 0; r < rounds; r++) {
        if (threadIdx.x == 0) data[r * gridDim.x + blockIdx.x] = (r + 1) * (blockIdx.x + 1);
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence(); atomicAdd(arrived, 1);
            while (((volatile u32*)arrived)[0] < (r + 1) * gridDim.x) {}
            __threadfence();
        }
        __syncthreads();
    }
    u32 s = 0;
    for (int r = 0; r < rounds; r++) s += __ldcg(&data[r * gridDim.x + (blockIdx.x + r + 1) % gridDim.x]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
extern "C" __global__ void semaphore(u32 *sem, u32 *sum) {   // split-K, as CUTLASS: all of a block poll at its barrier
    u32 state = 0; bool leader = threadIdx.x == 0;
    if (leader) asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(state) : "l"(sem) : "memory");
    while (__syncthreads_and(state != blockIdx.x)) { if (leader) asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(state) : "l"(sem) : "memory"); }
    __syncthreads();
    u32 *p = sum + threadIdx.x;
    *p = *p * 3 + blockIdx.x;
    __syncthreads();
    if (leader) asm volatile("st.global.release.gpu.b32 [%0], %1;" :: "l"(sem), "r"((blockIdx.x + 1) % gridDim.x) : "memory");
}
extern "C" __global__ void forsaken(volatile u32 *flag, u32 *out) {
    if (threadIdx.x == 0 && blockIdx.x == 1) while (flag[0] != 5) {}
    if (threadIdx.x == 0 && blockIdx.x == 0) flag[0] = 4;
    out[blockIdx.x] = 1;
}
extern "C" __global__ void glance(volatile u32 *flag, u32 *out) {  // goes on with what it finds, set or not
    if (threadIdx.x) return;
    if (blockIdx.x == gridDim.x - 1) flag[0] = 1;
    else {
        u32 v;
        do v = flag[0]; while (v > 5);
        if (v) out[blockIdx.x] = 7;
    }
}
