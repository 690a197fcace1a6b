"""What lanes of a warp tell each other: shuffles, votes, matches, reductions, one lane's value for all."""

from typing import Any

import numpy as np

Array = np.ndarray
U32 = np.uint32
LANE = np.arange(32)[None, :]


def ballot(lanes: Array) -> Array:
    """uint32 [W, 1] of bool [W, 32]."""
    return np.packbits(lanes, axis=1, bitorder="little").view(U32)


def shfl(ins: Any, a: Array, b: Array, c: Array, active: Array) -> tuple[Array, Array]:
    """Another lane's a, by .IDX, .UP, .DOWN or .BFLY with distance b; c: clamp in bits 0-4, segment mask in bits 8-12.

    The predicate says whether the other lane is in reach; out of reach a lane keeps its own. (PTX ISA, shfl.)
    """
    a = np.broadcast_to(a, active.shape)
    distance = np.broadcast_to(b & U32(31), active.shape).astype(np.int64)
    clamp, segment = (c & U32(31)).astype(np.int64), (c >> U32(8) & U32(31)).astype(np.int64)
    lowest = LANE & segment
    highest = lowest | clamp & ~segment
    if ins.has("UP"):
        other = LANE - distance
        reach = other >= highest
    elif ins.has("DOWN"):
        other = LANE + distance
        reach = other <= highest
    elif ins.has("BFLY"):
        other = LANE ^ distance
        reach = other <= highest
    else:
        other = lowest | distance & ~segment
        reach = other <= highest
    source = np.where(reach, other, LANE) & 31
    return np.broadcast_to(reach, active.shape), np.take_along_axis(a, source, axis=1)


def vote(ins: Any, p: Array, active: Array) -> tuple[Array, Array]:
    """The lanes where p holds, and .ANY, .ALL or .EQ (all alike) of the active ones."""
    holds = p & active
    if ins.has("ANY"):
        verdict = holds.any(axis=1, keepdims=True)
    elif ins.has("EQ"):
        verdict = ~holds.any(axis=1, keepdims=True) | (holds == active).all(axis=1, keepdims=True)
    else:
        verdict = (holds == active).all(axis=1, keepdims=True)
    return ballot(holds), verdict


def match(ins: Any, value: Array, active: Array) -> tuple[Array | None, Array]:
    """The active lanes that hold the same value (.ANY), or all of them if they all agree, else 0 (.ALL)."""
    rows = value if value.ndim == 3 else value[None]
    rows = np.broadcast_to(rows, (len(rows), *active.shape))
    same = active[:, :, None] & active[:, None, :]
    for row in rows:
        same &= row[:, :, None] == row[:, None, :]
    if ins.has("ALL"):
        agree = (same | ~(active[:, :, None] & active[:, None, :])).all(axis=(1, 2))[:, None]
        return np.broadcast_to(agree, active.shape), np.where(agree, ballot(active), U32(0))
    weights = U32(1) << LANE[0].astype(U32)
    return None, (same * weights[None, None, :]).sum(axis=2).astype(U32)


def redux(ins: Any, a: Array, active: Array) -> Array:
    """One value per warp over its active lanes: .SUM, .MIN, .MAX (.S32: signed), .OR, .XOR, else AND."""
    a = np.broadcast_to(a, active.shape)
    if ins.has("SUM"):
        return np.where(active, a, U32(0)).sum(axis=1, keepdims=True, dtype=U32)
    if ins.has("OR"):
        return np.bitwise_or.reduce(np.where(active, a, U32(0)), axis=1, keepdims=True)
    if ins.has("XOR"):
        return np.bitwise_xor.reduce(np.where(active, a, U32(0)), axis=1, keepdims=True)
    if ins.has("MIN") or ins.has("MAX"):
        x = a.view(np.int32) if ins.has("S32") else a
        info = np.iinfo(x.dtype)
        if ins.has("MIN"):
            return np.where(active, x, info.max).astype(x.dtype).min(axis=1, keepdims=True).view(U32)
        return np.where(active, x, info.min).astype(x.dtype).max(axis=1, keepdims=True).view(U32)
    return np.bitwise_and.reduce(np.where(active, a, U32(0xFFFFFFFF)), axis=1, keepdims=True)


def r2ur(ins: Any, a: Array, active: Array) -> tuple[Array, Array]:
    """The first active lane's value for the warp; the predicate of a lane: does its own value differ?"""
    a = np.broadcast_to(a, active.shape)
    first = np.take_along_axis(a, np.argmax(active, axis=1)[:, None], axis=1)
    return a != first, first


def elect(ins: Any, p: Array | None, active: Array) -> tuple[Array, Array]:
    """One lane of the active ones where p holds, the lowest: a predicate that holds there alone, and its number."""
    chosen = active if p is None else active & p
    lowest = np.argmax(chosen, axis=1)[:, None]
    return np.equal(LANE, lowest) & chosen, lowest.astype(U32)
