"""Matrix multiply-add of one warp (HMMA, DMMA, IMMA, BMMA) and the operand layouts it shares with the warp-group form.

Rule of accumulation: products are exact, the sum over k and the accumulator is formed in float64 and rounded once to
the accumulator's format, to nearest even. Silicon sums groups of products with fewer bits, so last bits differ.
Layouts: PTX ISA, "Matrix fragments for mma.m16n8k16" and its neighbours.
"""

from typing import Any

import numpy as np

from ssmsim.tracers.emulated.semantics.formats import (
    F32,
    F64,
    U32,
    Array,
    bf16_to_f32,
    f32,
    f32_to_f16,
    f64,
    known,
    words,
)

LANE = np.arange(32)
ROW, PAIR = LANE // 4, 2 * (LANE % 4)  # a lane's row of eight and its first of two neighbouring columns
SHAPES = {"16816": (16, 8, 16), "1688": (16, 8, 8), "1684": (16, 8, 4)}


def tf32(bits: Array) -> Array:
    """float32 with the 13 bits cut off that TF32 does not have."""
    return f32(bits & U32(0xFFFFE000))


def halves(ins: Any, registers: Array) -> Array:
    """float64[n, 2, ...]: low and high half of each register."""
    pair = np.stack([registers & U32(0xFFFF), registers >> U32(16)], 1).astype(np.uint16)
    return (bf16_to_f32(pair) if "BF16" in ins.mods else pair.view(np.float16)).astype(F64)


def a_matrix(ins: Any, a: Array, k: int) -> Array:
    """float64[W, 16, k] of the fragments of A: registers walk down (row, row + 8), then along k."""
    matrix = np.empty((a.shape[1], 16, k), F64)
    if "TF32" in ins.mods:
        for i, values in enumerate(tf32(a).astype(F64)):
            matrix[:, ROW + 8 * (i & 1), LANE % 4 + 4 * (i >> 1)] = values
        return matrix
    for i, (low, high) in enumerate(halves(ins, a)):
        row, column = ROW + 8 * (i & 1), PAIR + 8 * (i >> 1)
        matrix[:, row, column], matrix[:, row, column + 1] = low, high
    return matrix


def b_matrix(ins: Any, b: Array, k: int) -> Array:
    """float64[W, k, 8] of the fragments of B: a lane holds column lane / 4."""
    matrix = np.empty((b.shape[1], k, 8), F64)
    if "TF32" in ins.mods:
        for i, values in enumerate(tf32(b).astype(F64)):
            matrix[:, LANE % 4 + 4 * i, ROW] = values
        return matrix
    for i, (low, high) in enumerate(halves(ins, b)):
        matrix[:, PAIR + 8 * i, ROW], matrix[:, PAIR + 8 * i + 1, ROW] = low, high
    return matrix


def is_f16_accumulator(ins: Any) -> bool:
    return "F16" in ins.mods and "F32" not in ins.mods


def accumulate(ins: Any, product: Array, accumulator: Array) -> Array:
    """product float64[W, 16, n] + accumulator registers, rounded, as registers again.

    float32: four registers for each eight columns (row; row + 8; two columns each); float16: two, packed.
    """
    n = product.shape[2]
    cells = product.reshape(-1, 2, 8, n // 8, 4, 2)  # warp, half of the rows, row, eight columns, lane % 4, column
    groups = cells.transpose(3, 1, 5, 0, 2, 4).reshape(n // 8, 4, len(product), 32)
    if is_f16_accumulator(ins):
        old = halves(ins, accumulator).reshape(n // 8, 4, *accumulator.shape[1:])
        half = f32_to_f16((groups + old).astype(F32)).astype(U32)
        return (half[:, ::2] | (half[:, 1::2] << U32(16))).reshape(n // 4, *half.shape[2:])
    old = f32(accumulator).astype(F64).reshape(n // 8, 4, *accumulator.shape[1:])
    return (groups + old).astype(F32).view(U32).reshape(n // 2, *groups.shape[2:])


def hmma(ins: Any, a: Array, b: Array, c: Array, *metadata: Any) -> Array:
    """D = A B + C with A 16 x k, B k x 8; k is 16 or 8 for halves, 8 or 4 for TF32."""
    known(ins, "16816 1688 1684 F32 F16 BF16 TF32")
    _, _, k = SHAPES[next(m for m in ins.mods.order if m in SHAPES)]
    a, b, c = _whole(a, b, c)
    with np.errstate(all="ignore"):
        return accumulate(ins, a_matrix(ins, a, k) @ b_matrix(ins, b, k), c)


def dmma(ins: Any, a: Array, b: Array, c: Array) -> Array:
    """D = A B + C in float64; M is 8 or 16, K 4, 8 or 16: registers of A walk down the rows, then by four along k."""
    known(ins, "8x8x4 16x8x4 16x8x8 16x8x16")
    m, _, k = (int(part) for part in next(x for x in ins.mods.order if "x" in x).split("x"))
    a, b, c = _whole(a, b, c)
    down = m // 8
    left, right = np.empty((a.shape[1], m, k), F64), np.empty((a.shape[1], k, 8), F64)
    for i in range(len(a) // 2):
        left[:, ROW + 8 * (i % down), LANE % 4 + 4 * (i // down)] = f64(a[2 * i : 2 * i + 2])
    for i in range(len(b) // 2):
        right[:, LANE % 4 + 4 * i, ROW] = f64(b[2 * i : 2 * i + 2])
    with np.errstate(all="ignore"):
        product = left @ right
        cells = [words(product[:, ROW + 8 * (i >> 1), PAIR + (i & 1)] + f64(c[2 * i : 2 * i + 2]))
                 for i in range(2 * down)]  # fmt: skip
    return np.concatenate(cells)


def bytes_matrix(registers: Array, rows: int) -> Array:
    """uint8[W, rows, 16 or 32] of 8-bit fragments: a register holds four neighbours along k of one row of eight."""
    down = rows // 8
    matrix = np.empty((registers.shape[1], rows, 16 * len(registers) // down), np.uint8)
    for i, value in enumerate(registers):
        for byte in range(4):
            matrix[:, ROW + 8 * (i % down), 4 * (LANE % 4) + byte + 16 * (i // down)] = value >> U32(8 * byte) & U32(
                0xFF
            )
    return matrix


def integers(values: Array, kind: str) -> Array:
    """float64 of S8 or U8 bytes: products and sums of these stay exact."""
    return (values.view(np.int8) if kind == "S8" else values).astype(F64)


def bits_matrix(registers: Array, rows: int) -> Array:
    """float64 0 or 1 [W, rows, 128 or 256] of 1-bit fragments."""
    down = rows // 8
    matrix = np.empty((registers.shape[1], rows, 128 * len(registers) // down), F64)
    for i, value in enumerate(registers):
        for bit in range(32):
            matrix[:, ROW + 8 * (i % down), 32 * (LANE % 4) + bit + 128 * (i // down)] = value >> U32(bit) & U32(1)
    return matrix


def accumulate_integers(product: Array, accumulator: Array, saturates: bool) -> Array:
    """product float64[W, m, n], exact, + 32-bit registers: two columns of a row of eight each, wrapped or clamped."""
    down = product.shape[1] // 8
    whole = product.astype(np.int64)
    out = np.empty_like(accumulator)
    for i in range(len(accumulator)):
        group, part = divmod(i, 2 * down)  # eight columns after another
        cell = whole[:, ROW + 8 * (part >> 1), 8 * group + PAIR + (part & 1)]
        total = cell + accumulator[i].view(np.int32)
        out[i] = (np.clip(total, -(1 << 31), (1 << 31) - 1) if saturates else total).astype(np.int64).astype(U32)
    return out


def imma(ins: Any, a: Array, b: Array, c: Array, *metadata: Any) -> Array:
    """D = A B + C of 8-bit integers, in 32 bits (.SAT: clamped)."""
    known(ins, "8816 16816 16832 S8 U8 SAT")
    a, b, c = _whole(a, b, c)
    kinds = [m for m in ins.mods.order if m in ("S8", "U8")]
    left = integers(bytes_matrix(a, 8 if "8816" in ins.mods else 16), kinds[0])
    right = integers(bytes_matrix(b, 8), kinds[-1])
    return accumulate_integers(left @ right.transpose(0, 2, 1), c, "SAT" in ins.mods)


def bmma(ins: Any, a: Array, b: Array, c: Array) -> Array:
    """D = C + number of bits that are set in both A and B."""
    known(ins, "88128 168128 168256 AND POPC")
    a, b, c = _whole(a, b, c)
    left, right = bits_matrix(a, 8 if "88128" in ins.mods else 16), bits_matrix(b, 8)
    return accumulate_integers(left @ right.transpose(0, 2, 1), c, False)


def _whole(*sources: Array) -> list[Array]:
    """Sources broadcast to [n, W, 32] with one W."""
    warps = max(s.shape[1] for s in sources)
    return [np.broadcast_to(s, (len(s), warps, 32)) for s in sources]
