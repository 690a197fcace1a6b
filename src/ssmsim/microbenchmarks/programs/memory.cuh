// Loads and stores of 4, 8 and 16 bytes through one name: global (cached in L1), l2 (past L1), shared.
#pragma once
#include "common.cuh"

struct W1 { u32 a; };
struct W2 { u32 a, b; };
struct W4 { u32 a, b, c, d; };
#define MEMORY(space, ld, st, suffix)                                                                                 \
    __device__ __forceinline__ u32 load_##suffix(W1, const void* p) {                                                 \
        u32 a; asm volatile(ld ".u32 %0, [%1];" : "=r"(a) : space(p)); return a; }                                    \
    __device__ __forceinline__ u32 load_##suffix(W2, const void* p) {                                                 \
        u32 a, b; asm volatile(ld ".v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : space(p)); return a ^ b; }                \
    __device__ __forceinline__ u32 load_##suffix(W4, const void* p) {                                                 \
        u32 a, b, c, d; asm volatile(ld ".v4.u32 {%0,%1,%2,%3}, [%4];"                                                \
            : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : space(p)); return a ^ b ^ c ^ d; }                                             \
    __device__ __forceinline__ void store_##suffix(W1, void* p, u32 a) {                                              \
        asm volatile(st ".u32 [%0], %1;" :: space(p), "r"(a) : "memory"); }                                           \
    __device__ __forceinline__ void store_##suffix(W2, void* p, u32 a) {                                              \
        asm volatile(st ".v2.u32 [%0], {%1,%1};" :: space(p), "r"(a) : "memory"); }                                   \
    __device__ __forceinline__ void store_##suffix(W4, void* p, u32 a) {                                              \
        asm volatile(st ".v4.u32 [%0], {%1,%1,%1,%1};" :: space(p), "r"(a) : "memory"); }

#define GENERIC(p) "l"(p)
#define SHARED(p) "r"((u32)__cvta_generic_to_shared(p))
MEMORY(GENERIC, "ld.global", "st.global", global)
MEMORY(GENERIC, "ld.global.cg", "st.global.cg", l2)
MEMORY(SHARED, "ld.volatile.shared", "st.volatile.shared", shared)
