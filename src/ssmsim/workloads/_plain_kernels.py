"""Kernels that have nothing to do with Mamba: products of matrices, attention, rows, streams. Importing this needs Triton."""

import triton
import triton.language as tl


@triton.jit
def gemm(a, b, c, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = a b; whole tiles, row-major."""
    rm, rn = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    at_a, at_b = a + rm[:, None] * sa + rk[None, :], b + rk[:, None] * sb + rn[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        total = tl.dot(tl.load(at_a), tl.load(at_b), total)
        at_a += BK
        at_b += BK * sb
    tl.store(c + rm[:, None] * sc + rn[None, :], total.to(c.dtype.element_ty))


@triton.jit
def gemm_ragged(a, b, c, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The same with tiles that are not whole."""
    rm, rn = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    at_a, at_b = a + rm[:, None] * sa + rk[None, :], b + rk[:, None] * sb + rn[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(at_a, mask=(rm[:, None] < M) & (rk[None, :] + k < K), other=0.0)
        y = tl.load(at_b, mask=(rk[:, None] + k < K) & (rn[None, :] < N), other=0.0)
        total = tl.dot(x, y, total)
        at_a += BK
        at_b += BK * sb
    tl.store(
        c + rm[:, None] * sc + rn[None, :], total.to(c.dtype.element_ty), mask=(rm[:, None] < M) & (rn[None, :] < N)
    )


@triton.jit
def attention(q, k, v, out, L, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Causal attention of one head and BM queries, by blocks of BN keys; scale includes log2(e)."""
    base = tl.program_id(1) * L * D
    rm, rd = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    x = tl.load(q + base + rm[:, None] * D + rd[None, :])
    most = tl.full((BM,), -float("inf"), tl.float32)
    weights, total = tl.zeros((BM,), tl.float32), tl.zeros((BM, D), tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        rn = start + tl.arange(0, BN)
        score = tl.dot(x, tl.load(k + base + rn[None, :] * D + rd[:, None])) * scale
        score = tl.where(rm[:, None] >= rn[None, :], score, -float("inf"))
        now = tl.maximum(most, tl.max(score, 1))
        share, kept = tl.exp2(score - now[:, None]), tl.exp2(most - now)
        value = tl.load(v + base + rn[:, None] * D + rd[None, :])
        weights = weights * kept + tl.sum(share, 1)
        total = tl.dot(share.to(value.dtype), value, total * kept[:, None])
        most = now
    tl.store(out + base + rm[:, None] * D + rd[None, :], (total / weights[:, None]).to(out.dtype.element_ty))


@triton.jit
def softmax_rows(x, y, N, B: tl.constexpr):
    row, at = tl.program_id(0).to(tl.int64) * N, tl.arange(0, B)
    value = tl.load(x + row + at, mask=at < N, other=-float("inf"))
    value = tl.exp(value - tl.max(value, 0))
    tl.store(y + row + at, value / tl.sum(value, 0), mask=at < N)


@triton.jit
def cumsum_rows(x, y, N, B: tl.constexpr):
    row, at = tl.program_id(0) * N, tl.arange(0, B)
    tl.store(y + row + at, tl.cumsum(tl.load(x + row + at, mask=at < N, other=0.0), 0), mask=at < N)


@triton.jit
def add(x, y, z, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(z + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


@triton.jit
def transpose(x, y, M, N, B: tl.constexpr):
    rm, rn = tl.program_id(0) * B + tl.arange(0, B), tl.program_id(1) * B + tl.arange(0, B)
    value = tl.load(x + rm[:, None] * N + rn[None, :], mask=(rm[:, None] < M) & (rn[None, :] < N), other=0.0)
    tl.store(y + rn[:, None] * M + rm[None, :], tl.trans(value), mask=(rn[:, None] < N) & (rm[None, :] < M))


@triton.jit
def conv_silu(x, w, bias, y, L, D, BL: tl.constexpr, BD: tl.constexpr):
    """Causal convolution of width 4 along L, per channel, and SiLU."""
    base = tl.program_id(2) * L
    rl, rd = tl.program_id(0) * BL + tl.arange(0, BL), tl.program_id(1) * BD + tl.arange(0, BD)
    total = tl.zeros((BL, BD), tl.float32) + tl.load(bias + rd)[None, :]
    for k in tl.static_range(4):
        at = rl - 3 + k
        value = tl.load(
            x + (base + at[:, None]) * D + rd[None, :], mask=(at[:, None] >= 0) & (at[:, None] < L), other=0.0
        )
        total += value.to(tl.float32) * tl.load(w + rd * 4 + k)[None, :]
    total = total * tl.sigmoid(total)
    tl.store(y + (base + rl[:, None]) * D + rd[None, :], total.to(y.dtype.element_ty), mask=rl[:, None] < L)


@triton.jit
def column_sums(x, y, N, ROWS: tl.constexpr, BN: tl.constexpr):
    """Adds sums over ROWS rows to y with atomics."""
    rn = tl.program_id(0) * BN + tl.arange(0, BN)
    total = tl.zeros((BN,), tl.float32)
    for m in range(tl.program_id(1) * ROWS, tl.program_id(1) * ROWS + ROWS, 16):
        rm = m + tl.arange(0, 16)
        total += tl.sum(tl.load(x + rm[:, None] * N + rn[None, :]).to(tl.float32), 0)
    tl.atomic_add(y + rn, total)
