// Tiles from shared memory to a tensor, or added to it.
#include "async.cuh"
extern __shared__ __align__(1024) char pool[];

#define STORE(name, MOVE, WAIT)                                                                                        \
    KERNEL name(Record* out, int n, const char* map, u32 step, u32 rows) {                                             \
        u32 from = shared_address(pool), y = blockIdx.x * step & rows - 1;                                             \
        bool mine = elected();                                                                                         \
        u64 start = now();                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                                                              \
            if (mine) { MOVE(from, map, 0, y); commit(); WAIT; }                                                       \
            y = y + gridDim.x * step & rows - 1;                                                                       \
        }                                                                                                              \
        if (mine) wait_written<0>();                                                                                   \
        leave(out, start, y);                                                                                          \
    }
STORE(store_read, store_2d, wait_read<0>())
STORE(store_written, store_2d, wait_written<0>())
STORE(store_stream, store_2d, wait_read<3>())
STORE(add_read, add_2d, wait_read<0>())
STORE(add_written, add_2d, wait_written<0>())
STORE(add_stream, add_2d, wait_read<3>())
