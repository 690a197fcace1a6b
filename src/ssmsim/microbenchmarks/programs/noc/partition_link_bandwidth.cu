// All SMs read or write lines of their own partition of L2, or of the other's; hits beside such reads.
#include "sides.cuh"
#include "sweep.cuh"

// Each warp moves n pieces of 512 bytes, side by side with the others of its partition. other: 0 its own partition's
// lines, 1 the other's, 2 in turn.
template <bool STORE>
__device__ __forceinline__ void moved(Record* out, int n, char* base, const Sides& sides, u32 other, u32 zero) {
    u32 s = sm(), side = ((const u32*)sides.side)[s], number = ((const u32*)sides.number)[s];
    u32 warps = blockDim.x >> 5, warp = threadIdx.x >> 5, lane = threadIdx.x & 31, z = 0;
    u32 all = sides.sms[side] * warps, id = warp * sides.sms[side] + number;
    u64 start = now();
#pragma unroll 1
    for (int i = 0; i < n; i += 4) {
        u32 v[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            char* p = piece_of(sides, base, side ^ (other == 2 ? k & 1 : other), id + (i + k) * all) + lane * 16 + z;
            if (STORE) asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(p), "r"(id) : "memory");
            else {
                u32 b, c, d;
                asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[k]), "=r"(b), "=r"(c), "=r"(d) : "l"(p) : "memory");
            }
        }
        if (!STORE) z = (v[0] ^ v[1] ^ v[2] ^ v[3]) & zero;  // the next four wait for these
    }
    leave(out, start, z);
}
KERNEL read_side(Record* out, int n, char* base, Sides sides, u32 other, u32 zero) { moved<false>(out, n, base, sides, other, zero); }
KERNEL write_side(Record* out, int n, char* base, Sides sides, u32 other, u32 zero) { moved<true>(out, n, base, sides, other, zero); }

// Block 0 reads `lines` one by one, each touched a random while before so that it hits, from `from` until `until` cycles
// after its start. `warps` of the blocks on SMs of the partitions in `who` (bits) meanwhile read lines of the other
// partition, 512 bytes every `pace` cycles on the average beyond what they take. totals: pieces read, hits timed.
KERNEL hits(unsigned short* cycles, char* base, const u32* lines, int count, Sides sides, u32 who, u32 warps, u32 pace,
            u32 from, u32 until, u32 stop, u32* totals, u32 zero) {
    u64 begin = now();
    u32 s = sm(), side = ((const u32*)sides.side)[s], warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    if (blockIdx.x == 0) {
        if (threadIdx.x) return;
        spin(from);
        totals[1] = lone(cycles, base, lines, count, count, true, begin, until, zero);
        return;
    }
    if (warp >= warps || !(who >> side & 1)) return;
    u32 all = sides.sms[side] * warps, piece = warp * sides.sms[side] + ((const u32*)sides.number)[s], done = 0;
    spin(1000 + mix(piece) % (pace + 500));
#pragma unroll 1
    for (; now() - begin < stop; piece += all, done++) {
        touch(piece_of(sides, base, side ^ 1, piece) + lane * 16, zero);
        spin(pace / 2 + mix(piece + (1ull << 40)) % (pace + 1));
    }
    if (lane == 0) atomicAdd(totals, done);
}
