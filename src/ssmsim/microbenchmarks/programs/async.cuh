// mbarriers, bulk and tensor copies, clusters: one line of PTX each.
#pragma once
#include "common.cuh"

#define VOLATILE(...) asm volatile(__VA_ARGS__)
__device__ __forceinline__ u32 shared_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }
__device__ __forceinline__ bool elected() {
    u32 yes;
    VOLATILE("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(yes));
    return yes;
}
__device__ __forceinline__ void init(u32 bar, u32 count) {
    VOLATILE("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
}
__device__ __forceinline__ void expect(u32 bar, u32 bytes) {
    VOLATILE("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ __forceinline__ void arrive(u32 bar) {
    VOLATILE("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}
__device__ __forceinline__ u32 in_block(u32 address, u32 rank) {
    u32 there;
    VOLATILE("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}
__device__ __forceinline__ void arrive_remote(u32 bar) {
    VOLATILE("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(bar) : "memory");
}
// As libraries do it, without the release of what other blocks may read.
__device__ __forceinline__ void arrive_there(u32 bar) {
    VOLATILE("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(bar) : "memory");
}
__device__ __forceinline__ void wait(u32 bar, u32 parity) {
    VOLATILE("{\n.reg .pred p;\nTRY:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra DONE;\nbra TRY;\nDONE:\n}" ::"r"(bar), "r"(parity) : "memory");
}
__device__ __forceinline__ void fence_init() { VOLATILE("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ __forceinline__ void fence_async() { VOLATILE("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ __forceinline__ u32 rank_in_cluster() {
    u32 r;
    VOLATILE("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
__device__ __forceinline__ void cluster_sync() {
    VOLATILE("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_sync_relaxed() {
    VOLATILE("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ __forceinline__ void load_2d(u32 to, const void* map, u32 bar, u32 x, u32 y) {
    VOLATILE("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(to), "l"(map), "r"(bar), "r"(x), "r"(y) : "memory");
}
__device__ __forceinline__ void load_2d_multicast(u32 to, const void* map, u32 bar, u32 x, u32 y, unsigned short mask) {
    VOLATILE("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to), "l"(map), "r"(bar), "r"(x), "r"(y), "h"(mask) : "memory");
}
__device__ __forceinline__ void store_2d(u32 from, const void* map, u32 x, u32 y) {
    VOLATILE("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map), "r"(from), "r"(x), "r"(y) : "memory");
}
__device__ __forceinline__ void add_2d(u32 from, const void* map, u32 x, u32 y) {
    VOLATILE("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map), "r"(from), "r"(x), "r"(y) : "memory");
}
__device__ __forceinline__ void load_bulk(u32 to, const void* from, u32 bytes, u32 bar) {
    VOLATILE("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(bar) : "memory");
}
__device__ __forceinline__ void store_bulk(const void* to, u32 from, u32 bytes) {
    VOLATILE("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes) : "memory");
}
__device__ __forceinline__ void copy_remote(u32 to, u32 from, u32 bytes, u32 bar) {
    VOLATILE("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "r"(from), "r"(bytes), "r"(bar) : "memory");
}
__device__ __forceinline__ void commit() { VOLATILE("cp.async.bulk.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void wait_read() { VOLATILE("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory"); }
template <int N> __device__ __forceinline__ void wait_written() { VOLATILE("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory"); }
