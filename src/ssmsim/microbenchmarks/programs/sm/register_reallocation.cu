// setmaxnreg: a warpgroup gives registers back and takes them again; launch_dependents and wait of a dependent grid.
#include "async.cuh"
extern "C" __global__ void __launch_bounds__(512, 1) registers(Record* out, int n) {
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        VOLATILE("setmaxnreg.dec.sync.aligned.u32 64;");
        VOLATILE("setmaxnreg.inc.sync.aligned.u32 128;");
    }
    leave(out, start, 0);
}
KERNEL dependents(Record* out, int n) {
    u64 start = now();
    #pragma unroll 1
    for (int i = 0; i < n; i++) { VOLATILE("griddepcontrol.launch_dependents;" ::: "memory"); VOLATILE("griddepcontrol.wait;" ::: "memory"); }
    leave(out, start, 0);
}
