// The barrier of a cluster.
#include "async.cuh"
#define OF(SIZE)                                                                                                       \
    extern "C" __global__ void __cluster_dims__(SIZE, 1, 1) sync_##SIZE(Record* out, int n) {                          \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) cluster_sync();                                                \
        leave(out, start, 0);                                                                                          \
    }                                                                                                                  \
    extern "C" __global__ void __cluster_dims__(SIZE, 1, 1) relaxed_##SIZE(Record* out, int n) {                       \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) cluster_sync_relaxed();                                        \
        leave(out, start, 0);                                                                                          \
    }
OF(1) OF(2) OF(4) OF(8)
