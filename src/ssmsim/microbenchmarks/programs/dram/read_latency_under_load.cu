// Lone reads from DRAM beside readers and writers of other memory.
#include "reads.cuh"
#include "sweep.cuh"

// Other random numbers than those of small x in `dropped`.
__device__ __forceinline__ u32 some(u64 x) { return (u32)(mix(x + (1ull << 41)) >> 16); }
__device__ __forceinline__ u32 below(u64 x, u32 n) { return __umulhi(some(x), n); }

// Cycles of the fastest of some reads from DRAM of each line, all dropped from L2 before; lines: in units of 128 bytes.
KERNEL fastest(unsigned short* cycles, char* base, const u32* lines, int count, int tries, u32 zero) {
#pragma unroll 1
    for (int i = blockIdx.x; i < count; i += gridDim.x) {
        cycles[i] = fastest_of(base + (u64)lines[i] * 128, tries, zero);
    }
}

// Who reads or writes: so many warps of each of its blocks, a piece of 512 bytes every `pace` cycles on the average
// beyond what the piece takes, side by side through `number` pages, a power of two: those of `pages`, or from `first` on.
struct Crew { u64 pages; u32 first, number, warps, pace; };

// Block 0 reads `lines` one by one, each at a random time, from `from` until `until` cycles after its start; odd blocks
// read, the others write, until `stop`. totals: pieces read, pieces written, lone reads, cycles and nanoseconds of them.
KERNEL mixed(unsigned short* cycles, const char* base, const u32* lines, int count, Crew readers, Crew writers,
             u32 from, u32 until, u32 stop, u32* totals, u32 zero) {
    u64 begin = now();
    if (blockIdx.x == 0) {
        if (threadIdx.x) return;
        spin(from);
        u64 start = now(), ns = nanoseconds();
        int i = 0;
#pragma unroll 1
        for (; i < count && now() - begin < until; i++) {
            char* p = (char*)base + (u64)lines[i] * 128;
            drop(p);
            spin(400 + below(i, 1024));
            cycles[i] = min(65535u, timed(p, zero));
        }
        totals[2] = i, totals[3] = (u32)(now() - start), totals[4] = (u32)(nanoseconds() - ns);
        return;
    }
    bool reads = blockIdx.x & 1;
    u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    u32 blocks = reads ? gridDim.x / 2 : (gridDim.x - 1) / 2, me = (blockIdx.x - 1) / 2;
    Crew crew = reads ? readers : writers;
    if (warp >= crew.warps) return;
    u32 all = blocks * crew.warps, id = warp * blocks + me, done = 0, z = 0;
    spin(1000 + below(id, 2 * crew.pace + 1000));
#pragma unroll 1
    for (u32 piece = id; now() - begin < stop; piece += all) {
        u32 page = piece / 8 & crew.number - 1;
        page = crew.pages ? ((const u32*)crew.pages)[page] : crew.first + page;
        const char* p = base + (u64)page * 4096 + piece % 8 * 512 + lane * 16 + z;
        if (reads) {
            u32 a, b, c, d;
            asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p) : "memory");
            z = a & zero;  // the next piece waits for this one
        } else {
            asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(p), "r"(piece) : "memory");
        }
        done++;
        spin(crew.pace / 2 + below(piece, crew.pace));
    }
    if (lane == 0) atomicAdd(totals + !reads, done);
}
