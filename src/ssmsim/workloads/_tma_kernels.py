"""Triton kernels that copy by tensor maps (TMA): products of matrices, sums, additions in memory. Importing this needs Triton."""

import triton
import triton.language as tl


@triton.jit
def tma_matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = a b^T; a, b, c: tensor maps that the host made."""
    pid, across = tl.program_id(0), tl.cdiv(N, BN)
    m, n = pid // across * BM, pid % across * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(a.load([m, k]), b.load([n, k]).T, total)
    c.store([m, n], total.to(tl.float16))


@triton.jit
def tma_device_matmul(ap, bp, cp, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The same with tensor maps that the kernel itself makes in global memory."""
    a = tl.make_tensor_descriptor(ap, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(bp, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(cp, [M, N], [N, 1], [BM, BN])
    pid, across = tl.program_id(0), tl.cdiv(N, BN)
    m, n = pid // across * BM, pid % across * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(a.load([m, k]), b.load([n, k]).T, total)
    c.store([m, n], total.to(tl.float16))


@triton.jit
def tma_persistent_matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, BLOCKS: tl.constexpr):
    """The same by BLOCKS blocks that walk the tiles."""
    across = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * across, BLOCKS, flatten=True):
        m, n = tile // across * BM, tile % across * BN
        total = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            total = tl.dot(a.load([m, k]), b.load([n, k]).T, total)
        c.store([m, n], total.to(tl.float16))


@triton.jit
def tma_copy_add(a, b, c, N, BM: tl.constexpr, BN: tl.constexpr):
    """c = a + b, tile by tile of BM rows."""
    m = tl.program_id(0) * BM
    for n in range(0, N, BN):
        c.store([m, n], a.load([m, n]) + b.load([m, n]))


@triton.jit
def tma_reduce(a, c, N, BM: tl.constexpr, BN: tl.constexpr):
    """Rows of a added to 1,024 rows of c, in memory."""
    m = tl.program_id(0) * BM
    for n in range(0, N, BN):
        c.atomic_add([m % 1024, n], a.load([m, n]))
