"""HGMMA, QGMMA, IGMMA, BGMMA: matrix multiply-add of a warp group, operands in shared memory found by descriptors.

Descriptor: PTX ISA, "Matrix descriptor" of wgmma: start address in bits 0-13, leading and stride byte offsets in bits
16-29 and 32-45, all in units of 16 bytes; base offset in bits 49-51; swizzle in bits 62-63 (0 none, 1 128, 2 64, 3 32
bytes).
Canonical layouts: CUTLASS, `cute/arch/mma_sm90_desc.hpp` (comments of GmmaDescriptor). Accumulation: see matrix.py.
"""

from typing import Any

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.tracers.emulated.semantics.formats import BYTE_VALUES, F64, U32, Array, bf16_to_f32, known
from ssmsim.tracers.emulated.semantics.matrix import (
    a_matrix,
    accumulate,
    accumulate_integers,
    bits_matrix,
    bytes_matrix,
    integers,
    tf32,
)

SWIZZLE_BYTES = {0: 16, 1: 128, 2: 64, 3: 32}


def fields(descriptor: Array) -> tuple[Array, Array, Array, Array]:
    """(start, leading, stride) in bytes and the swizzle code, int64[W] each."""
    d = descriptor.astype(np.uint64)

    def sixteens(low: int) -> Array:
        return (((d >> np.uint64(low)) & np.uint64(0x3FFF)) << np.uint64(4)).astype(np.int64)

    return sixteens(0), sixteens(16), sixteens(32), (d >> np.uint64(62)).astype(np.int64)


def addresses(descriptor: int, rows: Array, k: Array, element: int, transposed: bool) -> Array:
    """Byte offset in shared memory of elements (rows[i], k[j]) of the operand that one descriptor shows.

    rows: M or N index; transposed: consecutive rows, not consecutive k, are neighbours in memory.
    """
    start, leading, stride, code = (int(v[0]) for v in fields(np.array([descriptor], np.uint64)))
    width = SWIZZLE_BYTES[code]
    row, column = rows[:, None], k[None, :]
    if not transposed:  # 8 rows of `width` bytes make an atom; atoms follow each other along the rows by `stride`
        byte = column * element
        linear = (row // 8) * stride + (row % 8) * width + byte % width
        linear = linear + (byte // width) * leading if code == 0 else linear + (byte // width) * width * 8
    else:  # 8 k's of `width` bytes make an atom
        byte = row * element
        across, along = (stride, leading) if code == 0 else (leading, stride)
        linear = (byte // width) * across + byte % width + (column // 8) * along + (column % 8) * width
    place = start + linear
    mask = width // 16 - 1
    return place ^ (((place >> 7) & mask) << 4)


def operand(ins: Any, descriptor: Array, rows: Array, k: int, transposed: bool, machine: Any) -> Array:
    """float64[W, rows, k] of a shared-memory operand; `rows` int64[W, R] differ per warp (A) or not (B)."""
    element = 4 if "TF32" in ins.mods else 2 if ins.base == "HGMMA" else 1
    k = k // 8 if ins.base == "BGMMA" else k
    result = np.empty((len(descriptor), rows.shape[1], k), F64 if element > 1 else np.uint8)
    pairs = np.stack([descriptor, rows[:, 0].astype(np.uint64)])
    kinds, which = np.unique(pairs, axis=1, return_inverse=True)
    for i, (value, _) in enumerate(kinds.T):
        warps = np.flatnonzero(which.ravel() == i)
        place = addresses(int(value), rows[warps[0]], np.arange(k), element, transposed)
        if place.max() + element > machine.shared.shape[1]:
            what = f"a descriptor reaches shared address {int(place.max()):#x}, behind the block's shared memory"
            raise SsmsimError(what, ins.where, "a fault on a GPU")
        blocks, of_warp = np.unique(machine.block[warps], return_inverse=True)  # warps of a block read the same B
        data = _elements(machine.shared, blocks, place, element)
        if element == 4:
            data = tf32(data)
        elif element == 2:
            data = bf16_to_f32(data) if "BF16" in ins.mods else data.view(np.float16)
        result[warps] = data.astype(result.dtype)[of_warp]
    return result


def _elements(shared: Array, blocks: Array, place: Array, size: int) -> Array:
    """Words of `size` bytes (uint8, uint16, uint32) of some blocks' shared memory, uint8[blocks, bytes]."""
    word = np.dtype(f"u{size}")
    if shared.shape[1] % size == 0 and shared.flags.c_contiguous and not (place % size).any():
        return shared.view(word)[blocks[:, None, None], place // size]
    data = shared[blocks[:, None, None, None], place[..., None] + np.arange(size)]
    return np.ascontiguousarray(data).view(word)[..., 0]


def hgmma(ins: Any, a: Array, b: Array, accumulator: Array, *predicates: Array | None, machine: Any) -> Array:
    """One warp's 16 of the 64 rows of D = A B (+ D unless the predicate is false)."""
    shape = next(m for m in ins.mods.order if m.startswith("64x"))
    known(ins, f"{shape} F32 F16 BF16 TF32 E4M3 E5M2 S8 U8 SAT AND POPC")
    n, k = (int(part) for part in shape.split("x")[1:])
    warps = len(b)
    with np.errstate(all="ignore"):
        left = _left(ins, a, k, warps, machine)
        right = operand(ins, b, np.broadcast_to(np.arange(n), (warps, n)), k, "tnspB" in ins.text, machine)
        old = np.broadcast_to(accumulator, (len(accumulator), warps, 32))
        for keep in predicates:
            if keep is not None:
                old = np.where(np.broadcast_to(keep, (warps, 32)), old, U32(0))
        left, right = _values(ins, left, 0), _values(ins, right, -1)
        sign = -1.0 if ("negA" in ins.text) != ("negB" in ins.text) else 1.0
        product = sign * left @ right.transpose(0, 2, 1)
        if ins.base in ("IGMMA", "BGMMA"):
            return accumulate_integers(product, np.ascontiguousarray(old), "SAT" in ins.mods)
        return accumulate(ins, product, old)


def _left(ins: Any, a: Array, k: int, warps: int, machine: Any) -> Array:
    """A of each warp: from shared memory by descriptor (uint64), or from four registers."""
    if a.dtype == np.uint64:
        rows = 16 * (machine.warp[:, None] % 4) + np.arange(16)
        return operand(ins, a, rows, k, "tnspA" in ins.text, machine)
    a = np.broadcast_to(a, (len(a), warps, 32))
    if ins.base == "HGMMA":
        return a_matrix(ins, a, k)
    return bits_matrix(a, 16) if ins.base == "BGMMA" else bytes_matrix(a, 16)


def _values(ins: Any, held: Array, which: int) -> Array:
    """float64 of what an operand holds; bytes by the first or the last of the types that the opcode names."""
    if ins.base == "QGMMA":
        return BYTE_VALUES[[m for m in ins.mods.order if m in BYTE_VALUES][which]][held]
    if ins.base == "IGMMA":
        return integers(np.ascontiguousarray(held), [m for m in ins.mods.order if m in ("S8", "U8")][which])
    if ins.base == "BGMMA" and held.dtype == np.uint8:
        return np.unpackbits(held, axis=-1, bitorder="little").astype(F64)
    return held
